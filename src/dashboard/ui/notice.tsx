/** What a reader should know, in place: framed sentences, and small framed words for states. */
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import type { KeyMark } from '../../bundle/status.ts'
import styles from './notice.module.css'

const ICONS = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert }

/** The severity, shown by icon and colour. */
export type NoticeKind = keyof typeof ICONS

interface NoticeProps {
  kind?: NoticeKind
  children: ReactNode
  action?: ReactNode
  /** Whether `announce` has announced it already. */
  announced?: boolean
}

/** A framed sentence. Screen readers announce a `bad` one at once. */
export function Notice({ kind = 'info', children, action, announced = false }: NoticeProps) {
  const Icon = ICONS[kind]
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'bad' && !announced ? 'alert' : 'note'}>
      <Icon aria-hidden />
      <div className={styles.words}>{children}</div>
      {action}
    </div>
  )
}

interface BadgeProps {
  kind?: NoticeKind | undefined
  /** An icon before the word, so colour is never the only difference. */
  mark?: ReactElement
  /** The icon of a text's state. It costs no element, and needs `sign.css`. */
  sign?: KeyMark | 'approved' | 'unapproved' | 'machine' | 'refused' | 'suggested' | 'unsaved' | 'gone'
  children: ReactNode
}

/** A framed word for a state. */
export const Badge = ({ kind, mark, sign, children }: BadgeProps) => (
  <span className={`${styles.badge} ${kind ? styles[kind] : ''}`} data-sign={sign}>
    {mark !== undefined && <span aria-hidden>{mark}</span>}
    {children}
  </span>
)
