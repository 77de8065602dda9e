/** Replaces a part that failed to load. The rest of the dashboard stays. */
import { RotateCw, X } from 'lucide-react'
import { type RefCallback, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { problemOf } from '../api/problem-of.ts'
import { Button } from './button.tsx'
import styles from './late.module.css'
import { Notice } from './notice.tsx'

/** As a `ref` of an element with `popover`: above all else, including an open dialog. */
export const showOver: RefCallback<HTMLElement> = element => {
  element?.showPopover()
  element?.querySelector('button')?.focus()
}

/** Has the focus until it is closed, by Escape too. */
export function NotLoaded({ why, again, onClose }: { why: unknown; again: () => void; onClose: () => void }) {
  const { t } = useTranslation()
  const id = useId()
  const [from] = useState(document.activeElement)
  // Before it unmounts: a dialog around it would move the focus elsewhere.
  const leave = (act: () => void) => () => {
    if (from instanceof HTMLElement) from.focus()
    act()
  }
  return (
    <div
      ref={showOver}
      popover="manual"
      className={styles.failed}
      role="alertdialog"
      aria-labelledby={id}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        leave(onClose)()
      }}
    >
      <Notice
        kind="bad"
        announced
        action={
          <>
            <Button small icon={<RotateCw aria-hidden />} onPress={leave(again)}>
              {t('tryAgain')}
            </Button>
            <Button look="quiet" small icon={<X aria-hidden />} aria-label={t('close')} onPress={leave(onClose)} />
          </>
        }
      >
        <span id={id}>{problemOf(why, t)}</span>
      </Notice>
    </div>
  )
}
