/** The language and the theme of the dashboard. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName } from '../i18n/languages.ts'
import { DASHBOARD_LANGUAGES, type DashboardLanguage, speak } from '../i18n/start.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Select } from '../ui/select.tsx'
import { setTheme, THEMES, type Theme, themeHere } from './theme.ts'

/** A dialog. Each choice applies immediately. */
export function AppearanceDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Dialog title={t('look')} isOpen={isOpen} onClose={onClose}>
      <div className="stack">
        <SpokenChoice />
        <ThemeChoice />
      </div>
    </Dialog>
  )
}

/** The dashboard's languages, each named in itself and in the reader's language. */
function SpokenChoice() {
  const { t, i18n } = useTranslation()
  const choices = Object.entries(DASHBOARD_LANGUAGES).map(([id, label]) => ({
    id: id as DashboardLanguage,
    label,
    ...(id !== i18n.language && { note: `${languageName(id, i18n.language)} (${id})` }),
  }))
  return (
    <Select
      label={t('pageLanguage')}
      choices={choices}
      value={i18n.language as DashboardLanguage}
      onChange={language => void speak(i18n, language)}
    />
  )
}

function ThemeChoice() {
  const { t } = useTranslation()
  const [theme, show] = useState<Theme>(themeHere)
  const labels = { system: t('themeSystem'), light: t('themeLight'), dark: t('themeDark') }
  return (
    <Select
      label={t('theme')}
      choices={THEMES.map(id => ({ id, label: labels[id] }))}
      value={theme}
      onChange={chosen => {
        setTheme(chosen)
        show(chosen)
      }}
    />
  )
}
