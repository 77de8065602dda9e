/** The place of the panel beside the grid, or below it as a sheet. Its content loads later than the grid. */
import { type RefObject, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { late } from '../ui/late.tsx'
import styles from './editor.module.css'
import type { EditorPosition } from './editor-context.ts'
import { whenIdle } from './idle.ts'
import type { EditorRow } from './model/rows.ts'

const Panel = late(() => import('./panel/panel.tsx'), 'silent')

interface Props {
  row: EditorRow | undefined
  at: EditorPosition | undefined
  /** Gets the focus. */
  place: RefObject<HTMLElement | null>
  /** A key opened it, so it gets the focus. */
  isEntered: boolean
  onClose: () => void
  /** Escape: the focus returns to the text. */
  onLeave: () => void
}

/** A named region that the key of the panel focuses. */
export function PanelFrame({ row, at, place, isEntered, onClose, onLeave }: Props) {
  const { t } = useTranslation('editor')
  const [isIdle, setIsIdle] = useState(false)
  useEffect(() => whenIdle(() => setIsIdle(true)), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears
  useEffect(() => {
    if (isEntered) place.current?.focus()
  }, [])
  return (
    <section
      ref={place}
      className={styles.panel}
      aria-label={t('command.panel')}
      tabIndex={-1}
      onKeyDown={event => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        onLeave()
      }}
    >
      {(isIdle || isEntered) && <Panel row={row} at={at} onClose={onClose} />}
    </section>
  )
}
