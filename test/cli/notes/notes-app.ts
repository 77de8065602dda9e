/** A small app with a note to translators in each supported way. */
export const NOTES_APP: Record<string, unknown> = {
  'package.json': '{ "private": true, "type": "module", "devDependencies": { "i18next-cli": "1.74.2" } }',
  'i18next.config.ts': `import { defineConfig } from 'i18next-cli'
export default defineConfig({
  locales: ['en', 'de'],
  extract: {
    input: 'src/**/*.{ts,tsx}',
    output: 'locales/{{language}}/{{namespace}}.json',
    defaultNS: 'common',
  },
})
`,
  'src/Cart.tsx': `/** translators: The license of this file is no note. */
import { Trans, useTranslation } from 'react-i18next'

export function Cart({ count, kind }: { count: number; kind: 'gift' | 'card' }) {
  const { t } = useTranslation('cart', { keyPrefix: 'page' })
  const close = i18next.t('cart:close', 'Close', { tDescription: 'Closes' + ' the cart' })
  // TODO: a shorter title
  const title = t('title')
  // Shown above the list.
  // translators: Label of the button that pays,
  // at most two words.
  // eslint-disable-next-line no-console
  console.log(t('pay'), t('later'))
  return (
    <div title={t('items', { count, tDescription: 'How many products there are' })}>
      {/* translators: Heading above the products */}
      <h1 className="title">
        {t('heading')}
      </h1>
      <Trans
        i18nKey="terms"
        // translators: <1> is a link to the terms.
        t={t}
      >
        I accept <a href="https://acme.example">the terms</a>
      </Trans>
      <p>// translators: a text of the page</p>
      {close}
      {t('shipped', { context: kind, tDescription: 'How it is sent' })}
    </div>
  )
}
`,
  'src/menu.ts': `import i18next, { getFixedT } from 'i18next'

const tAdmin = i18next.getFixedT(null, 'admin')
// translators: ☰ The menu of administrators
export const admin = [tAdmin('menu'), i18next.t('close'), i18next.t('unknown.key')]
export const many = [i18next.t('cart:page.items_one', { count: 1 }), i18next.t('cart:page.items_other', { count: 2 })]
export const long = {
  // translators: A key of the menu
  label: i18next.t(
    'menu.home',
    'Home',
    'The first page',
  ),
}
`,
  'locales/en/cart.json': {
    page: {
      title: 'Cart',
      pay: 'Pay',
      later: 'Later',
      items_one: '{{count}} product',
      items_other: '{{count}} products',
      heading: 'Products',
      shipped: 'Shipped',
      shipped_gift: 'Shipped as a gift',
      shipped_card: 'Shipped as a card',
      terms: 'I accept <1>the terms</1>',
    },
    close: 'Close the cart',
  },
  'locales/en/common.json': { close: 'Close', menu: { home: 'Home' } },
  'locales/en/admin.json': { menu: 'Menu' },
}
