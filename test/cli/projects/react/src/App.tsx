import { Trans, useTranslation } from 'react-i18next'
import { Cart } from './Cart'

export function App({ user }: { user: { name: string; gender: 'female' | 'male' } }) {
  const { t } = useTranslation()
  return (
    <main>
      <h1>{t('nav.Home', 'Home')}</h1>
      <p>{t('nav.about', 'About Acme')}</p>
      <p>{t('greeting', 'Welcome, {{name}}', { name: user.name })}</p>
      <p>{t('friend', { context: user.gender, defaultValue: 'A friend' })}</p>
      <Trans i18nKey="terms">
        Read the <a href="/terms">terms</a>.
      </Trans>
      <Cart items={[]} />
    </main>
  )
}
