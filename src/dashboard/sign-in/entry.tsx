/** What surrounds the pages on the way in. */
import type { ReactNode } from 'react'
import { useTitle } from '../ui/page.tsx'
import styles from './entry.module.css'
import { SpokenSelect } from './spoken-select.tsx'

interface Props {
  title: string
  lead?: ReactNode
  /** Below the card: the other ways. */
  below?: ReactNode
  /** At the header's end, before the choice of a language. */
  aside?: ReactNode
  /** Above the title: how far one has come. */
  above?: ReactNode
  children: ReactNode
}

/** One card in the middle, and the choice of language in the corner. */
export function Entry({ title, lead, below, aside, above, children }: Props) {
  useTitle(title)
  return (
    <div className={styles.entry}>
      <header className={styles.header}>
        <a className={styles.brand} href="#/">
          <img src="./icon.svg" alt="" width="28" height="28" />
          Parlance
        </a>
        <div className={styles.corner}>
          {aside}
          <SpokenSelect />
        </div>
      </header>
      <main className={styles.main} tabIndex={-1}>
        {above}
        <div className={styles.card}>
          <div>
            <h1>{title}</h1>
            {lead !== undefined && <p className={styles.lead}>{lead}</p>}
          </div>
          {children}
        </div>
        {below !== undefined && <div className={styles.below}>{below}</div>}
      </main>
    </div>
  )
}
