/** Dialogs over the page. */
import type { ReactNode } from 'react'
import styles from './dialog.module.css'
import { late } from './late.tsx'

const Window = late(() => import('./dialog-window.tsx'))

/** What a dialog is made of. */
export interface Props {
  title: ReactNode
  onClose: () => void
  children: ReactNode
  wide?: boolean | undefined
  /** Asks for a decision: told to screen readers at once, and not closed by a click beside it. */
  alert?: boolean | undefined
  /** What it shows is not shown again: Escape does not close it. */
  once?: boolean | undefined
}

/** Keeps the focus inside, closes with Escape and gives the focus back: near what opened it, where that is gone. */
export const Dialog = ({ isOpen, ...props }: Props & { isOpen: boolean }) => isOpen && <Window {...props} />

/** The row of buttons at a dialog's or form's end; the main one comes last. */
export const Actions = ({ children }: { children: ReactNode }) => <div className={styles.actions}>{children}</div>
