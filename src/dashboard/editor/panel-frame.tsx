/** The place of the panel beside the grid, or below it as a sheet. Its content loads later than the grid. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { late } from '../ui/late.tsx'
import { useIsWide, useWasIdle } from './browser-state.ts'
import styles from './editor.module.css'
import { type EditorPosition, useEditor } from './editor-context.ts'
import type { EditorRow } from './model/rows.ts'

const Panel = late(() => import('./panel/panel.tsx'), 'silent')

/**
 * Whether the panel is open: beside the grid in a wide window, else as a sheet on demand. The reader's choice lasts
 * until the window becomes wide or narrow.
 */
export function usePanel() {
  const isWide = useIsWide()
  const [chosen, choose] = useState<{ isWide: boolean; isOpen: boolean; isEntered: boolean }>()
  const { isOpen, isEntered } = chosen?.isWide === isWide ? chosen : { isOpen: isWide, isEntered: false }
  const place = useRef<HTMLElement>(null)
  const open = useCallback(
    (isOpen: boolean, isEntered = false) => {
      choose({ isWide, isOpen, isEntered })
      if (isEntered) place.current?.focus()
    },
    [isWide],
  )
  return { isOpen, isWide, isEntered, place, open }
}

interface Props {
  row: EditorRow | undefined
  at: EditorPosition | undefined
  panel: ReturnType<typeof usePanel>
  /** The focus returns to the text. */
  onBack: () => void
}

/** A named region that the key of the panel focuses. */
export function PanelFrame({ row, at, panel, onBack }: Props) {
  const { place, isEntered, isWide } = panel
  const { t } = useEditor()
  const wasIdle = useWasIdle()
  const close = () => {
    panel.open(false)
    onBack()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears
  useEffect(() => {
    if (isEntered) place.current?.focus()
    // A sheet covers half of the grid, and often the text that is edited.
    if (!isWide) place.current?.parentElement?.querySelector('[contenteditable]')?.scrollIntoView({ block: 'center' })
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
        if (isWide) onBack()
        else close()
      }}
    >
      {(wasIdle || isEntered) && <Panel row={row} at={at} onClose={close} />}
    </section>
  )
}
