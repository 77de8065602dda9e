import { getT } from '../i18n'

export default async function Page() {
  const { t } = await getT()
  return (
    <main>
      <h1>{t('Welcome to Acme.')}</h1>
      <p>{t('Read more: {{title}}', { title: 'News' })}</p>
      <p>{t('nav.home')}</p>
      <p>{t('post', { count: 3 })}</p>
      <p>{t('Zebra crossing')}</p>
      <p>{t('apple')}</p>
    </main>
  )
}
