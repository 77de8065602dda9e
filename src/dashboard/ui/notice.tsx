/** Something to know, in place. */
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './notice.module.css'

const ICONS = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert }

/** The severity of a notice, shown by icon and colour. */
export type NoticeKind = keyof typeof ICONS

interface Props {
  kind?: NoticeKind
  children: ReactNode
  action?: ReactNode
  /** Whether `announce` has announced it already. */
  announced?: boolean
}

/** A framed sentence. Screen readers announce a `bad` one at once. */
export function Notice({ kind = 'info', children, action, announced = false }: Props) {
  const Icon = ICONS[kind]
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'bad' && !announced ? 'alert' : 'note'}>
      <Icon aria-hidden />
      <div className={styles.words}>{children}</div>
      {action}
    </div>
  )
}
