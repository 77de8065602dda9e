/** Dialogs over the page. */
import type { ReactNode } from 'react'
import styles from './dialog.module.css'
import type { DialogProps } from './dialog-window.tsx'
import { late } from './late.tsx'

const Window = late(() => import('./dialog-window.tsx'))

/** Keeps the focus inside, closes with Escape and gives the focus back: near what opened it, where that is gone. */
export const Dialog = ({ isOpen, ...props }: DialogProps & { isOpen: boolean }) => isOpen && <Window {...props} />

/** The row of buttons at a dialog's or form's end; the main one comes last. */
export const Actions = ({ children }: { children: ReactNode }) => <div className={styles.actions}>{children}</div>
