/** The language of the dashboard, in the browser's own control. React Aria's would be a quarter of the sign-in page. */
import { Languages } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { DASHBOARD_LANGUAGES, type DashboardLanguage, speak } from '../i18n/start.ts'
import styles from './entry.module.css'

/** Each language by its own name. */
export function SpokenSelect() {
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
