/** The states of a page before, instead of and without its content. */
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem } from '../api/answer.ts'
import { problemOf } from '../api/problem-of.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import styles from './state.module.css'

/** Grey lines as placeholders; `lines` of them, so that the layout does not jump. */
export function Loading({ lines = 4 }: { lines?: number }) {
  const { t } = useTranslation()
  return (
    <div className={styles.loading} role="status" aria-label={t('loading')}>
      {[...'x'.repeat(lines)].map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <span key={at} aria-hidden />
      ))}
    </div>
  )
}

interface EmptyProps {
  /** Its own picture. */
  icon?: ReactNode
  title?: ReactNode
  children?: ReactNode
  action?: ReactNode
}

/** An empty place: its purpose, and each way forward as a button. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={styles.empty}>
      {icon}
      {title !== undefined && <h2>{title}</h2>}
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}

/** A read that failed, with a way to try again. */
export function Failed({ error, again }: { error: unknown; again?: () => unknown }) {
  const { t } = useTranslation()
  const refused = error instanceof ApiProblem && [400, 403, 404].includes(error.status)
  return (
    <Notice
      kind="bad"
      action={
        again &&
        !refused && (
          <Button small icon={<RotateCw aria-hidden />} onPress={() => void again()}>
            {t('tryAgain')}
          </Button>
        )
      }
    >
      {problemOf(error, t)}
    </Notice>
  )
}

interface Read<Data> {
  data: Data | undefined
  error: unknown
  refetch: () => unknown
}

/** One of {@link Loading}, {@link Failed} and the content of a query. Loaded data stays when a refresh fails. */
export function Loaded<Data>({
  read,
  lines,
  children,
}: {
  read: Read<Data>
  lines?: number
  children: (data: Data) => ReactNode
}) {
  if (read.data !== undefined) return children(read.data)
  if (read.error) return <Failed error={read.error} again={read.refetch} />
  // Even without a line there would be a gap beside it, and what follows would move.
  if (lines === 0) return null
  return <Loading {...(lines !== undefined && { lines })} />
}
