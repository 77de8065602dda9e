/** The frame of a page's content. */
import { type ReactNode, useEffect } from 'react'
import { moved } from './announce.ts'
import styles from './page.module.css'
import { Loading } from './state.tsx'

interface Props {
  /** The heading, and the title of the browser's tab. */
  title: string
  /** Beside the heading: the actions. */
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
export function Page({ title, actions, above, lead, width, children }: Props) {
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

/**
 * Names the browser's tab. A page that one has moved to is named to screen readers: to them no other one was loaded.
 */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Parlance' : `${title} · Parlance`
    const timer = setTimeout(() => moved(title), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [title])
}

/** While loading, the heading has another text for a moment. */
const SETTLED_MS = 300

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

/** Nothing for the first moment, as most pages load faster. */
export const Coming = () => (
  <div className={`${styles.page} ${styles.coming}`}>
    <Loading lines={6} />
  </div>
)

/** A raised surface. */
export const Card = ({ children }: { children: ReactNode }) => <div className={styles.card}>{children}</div>
