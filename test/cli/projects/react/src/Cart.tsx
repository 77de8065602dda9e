import { useTranslation } from 'react-i18next'

export function Cart({ items }: { items: string[] }) {
  const { t } = useTranslation('cart')
  return (
    <section>
      <h2>{t('title', 'Your cart')}</h2>
      <p>{t('items', { count: items.length, defaultValue_one: '{{count}} item', defaultValue_other: '{{count}} items' })}</p>
      <p>{t('place', { count: 1, ordinal: true, defaultValue_ordinal_other: '{{count}}th in line' })}</p>
      <button>{t('actions.checkOut', 'Check out')}</button>
      <button>{t('actions.Empty', 'Empty the cart')}</button>
    </section>
  )
}
