/** The frame of a page's content, and the states before, instead of and without that content. */
import { RotateCw } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, problemOf } from '../api/answer.ts'
import { moved } from './announce.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import styles from './page.module.css'

interface PageProps {
  /** The heading, and the title of the browser's tab. */
  title: string
  actions?: ReactNode
  /** Above the heading: the position, and links to related pages. */
  above?: ReactNode
  /** Below the heading: one sentence. */
  lead?: ReactNode
  /** Its content is as narrow as a form, or ends where most content does: its heading ends there, too. */
  width?: 'form' | 'page' | undefined
  children: ReactNode
}

/** A heading at the same place on every page, and its content from the same edge. */
export function Page({ title, actions, above, lead, width, children }: PageProps) {
  useTitle(title)
  return (
    <div className={`${styles.page} ${width === 'form' ? styles.narrow : ''}`}>
      {above}
      <header className={`${styles.header} ${width === 'page' ? styles.limited : ''}`}>
        <div>
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Ms until a title counts: while loading, the heading has another text for a moment. */
const SETTLED = 300

/** Names the browser's tab. Screen readers hear the title of the next page, since the browser loads none. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Parlance' : `${title} · Parlance`
    const timer = setTimeout(() => moved(title), SETTLED)
    return () => clearTimeout(timer)
  }, [title])
}

/** A part of a page with a heading of its own. */
export function Section({ title, actions, children }: { title: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <header className={styles.header}>
        <h2>{title}</h2>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  )
}

export const Card = ({ children }: { children: ReactNode }) => <div className={styles.card}>{children}</div>

/** Nothing for the first moment, as most pages load faster. */
export const Coming = () => (
  <div className={`${styles.page} coming`}>
    <Loading lines={6} />
  </div>
)

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
  icon?: ReactNode
  title?: ReactNode
  children?: ReactNode
  action?: ReactNode
}

/** An empty place: its purpose, and each way forward as a button. */
export const Empty = ({ icon, title, children, action }: EmptyProps) => (
  <div className={styles.empty}>
    {icon}
    {title !== undefined && <h2>{title}</h2>}
    {children !== undefined && <p>{children}</p>}
    {action}
  </div>
)

/** A read that failed, with a way to try again unless the server would refuse it again. */
export function Failed({ error, again }: { error: unknown; again?: () => unknown }) {
  const { t } = useTranslation()
  const isRefused = error instanceof ApiProblem && [400, 403, 404].includes(error.status)
  const retry = again && !isRefused && (
    <Button small icon={<RotateCw aria-hidden />} onPress={() => void again()}>
      {t('tryAgain')}
    </Button>
  )
  return (
    <Notice kind="bad" action={retry}>
      {problemOf(error, t)}
    </Notice>
  )
}

interface LoadedProps<Data> {
  read: { data: Data | undefined; error: unknown; refetch: () => unknown }
  lines?: number
  children: (data: Data) => ReactNode
}

/** One of {@link Loading}, {@link Failed} and the content of a query. Loaded data stays when a refresh fails. */
export function Loaded<Data>({ read, lines = 4, children }: LoadedProps<Data>) {
  if (read.data !== undefined) return children(read.data)
  if (read.error) return <Failed error={read.error} again={read.refetch} />
  // An element without lines would leave a gap, and the content below would move.
  return lines > 0 && <Loading lines={lines} />
}
