/** A small word for a state. */
import type { ReactNode } from 'react'
import styles from './badge.module.css'
import type { NoticeKind } from './notice.tsx'

/** `mark` is an icon before the word, so colour is never the only difference. */
export function Badge({ kind, mark, children }: { kind?: NoticeKind; mark?: ReactNode; children: ReactNode }) {
  return (
    <span className={`${styles.badge} ${kind ? styles[kind] : ''}`}>
      {mark !== undefined && <span aria-hidden>{mark}</span>}
      {children}
    </span>
  )
}
