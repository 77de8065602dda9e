/** The frame around the pages for readers who are not signed in. */
import { Languages } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { DASHBOARD_LANGUAGES, type DashboardLanguage, speak } from '../i18n/start.ts'
import { useTitle } from '../ui/page.tsx'
import styles from './entry.module.css'

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

/** Each language by its own name. */
function SpokenSelect() {
  const { t, i18n } = useTranslation()
  return (
    <label className={styles.spoken}>
      <Languages aria-hidden />
      <select
        aria-label={t('pageLanguage')}
        value={i18n.language}
        onChange={event => void speak(i18n, event.target.value as DashboardLanguage)}
      >
        {Object.entries(DASHBOARD_LANGUAGES).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
