/** What React Aria's controls have in common: the dashboard's language, and a place below a button. */
import type { ReactNode, RefObject } from 'react'
import { I18nProvider, Popover, type PopoverProps } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import styles from './select.module.css'

/** React Aria's own words and text direction in the dashboard's language; around each use of its controls. */
export function Spoken({ children }: { children: ReactNode }) {
  return <I18nProvider locale={useTranslation().i18n.language}>{children}</I18nProvider>
}

/** The data that a list needs of its button. */
export interface OpenedList {
  trigger: RefObject<HTMLElement | null>
  id: string
  /** Which row gets the focus; true is the chosen one, or none. */
  autoFocus: true | 'first' | 'last'
  onClose: () => void
}

/** Below its button. */
export const ListPopover = ({
  onClose,
  children,
  ...props
}: PopoverProps & { onClose: () => void; children: ReactNode }) => (
  <Spoken>
    <Popover {...props} isOpen onOpenChange={onClose} className={styles.popover!}>
      {children}
    </Popover>
  </Spoken>
)
