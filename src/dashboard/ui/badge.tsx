/** A small word for a state. */
import type { ReactNode } from 'react'
import styles from './badge.module.css'
import type { NoticeKind } from './notice.tsx'

/** How a key's change looks. */
export const CHANGES = {
  added: { kind: 'good', mark: '+' },
  updated: { kind: 'info', mark: '~' },
  removed: { kind: 'bad', mark: '−' },
  skipped: { kind: 'warn', mark: '·' },
} as const

/** `mark` is a sign before the word, so colour is never the only difference. */
export function Badge({ kind, mark, children }: { kind?: NoticeKind; mark?: string; children: ReactNode }) {
  return (
    <span className={`${styles.badge} ${kind ? styles[kind] : ''}`}>
      {mark !== undefined && <span aria-hidden>{mark}</span>}
      {children}
    </span>
  )
}
