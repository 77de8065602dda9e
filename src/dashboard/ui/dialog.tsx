/** Modal dialogs. */
import type { ReactNode } from 'react'
import styles from './dialog.module.css'
import type { DialogProps } from './dialog-window.tsx'
import { late } from './late.tsx'

const Window = late(() => import('./dialog-window.tsx'))

/** Traps the focus, closes with Escape and returns the focus: near the opener if the opener is gone. */
export const Dialog = ({ isOpen, ...props }: DialogProps & { isOpen: boolean }) => isOpen && <Window {...props} />

/** The buttons at the end of a dialog or form, the main one last. */
export const Actions = ({ children }: { children: ReactNode }) => <div className={styles.actions}>{children}</div>
