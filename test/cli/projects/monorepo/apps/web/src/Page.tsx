import { useTranslation } from 'react-i18next'

export function Page() {
  const { t } = useTranslation(['translation', 'forms'])
  return (
    <form>
      <label>{t('forms:email.label', 'Address')}</label>
      <input placeholder={t('forms:email.example', 'ann@example.com')} />
      <h1>{t('title', 'Accounts')}</h1>
      <p>{t('Subtitle', 'All of them')}</p>
    </form>
  )
}
