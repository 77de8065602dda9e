/** A small word for a state. */
import type { ReactElement, ReactNode } from 'react'
import type { KeyMark } from '../../bundle/status.ts'
import styles from './badge.module.css'
import type { NoticeKind } from './notice.tsx'

/** The names in `sign.css`: the states of a text. */
type SignName = KeyMark | 'approved' | 'unapproved' | 'machine' | 'refused' | 'suggested' | 'unsaved' | 'gone'

interface Props {
  kind?: NoticeKind | undefined
  /** An icon before the word, so colour is never the only difference. */
  mark?: ReactElement
  /** The icon of a state. It costs no element, and needs `sign.css`. */
  sign?: SignName
  children: ReactNode
}

/** A framed word. */
export function Badge({ kind, mark, sign, children }: Props) {
  return (
    <span className={`${styles.badge} ${kind ? styles[kind] : ''}`} data-sign={sign}>
      {mark !== undefined && <span aria-hidden>{mark}</span>}
      {children}
    </span>
  )
}
