/** The demo shop's bundles: a source language, four translations at different stages, plurals, contexts, gaps. */

type Resource = { [key: string]: string | string[] | Resource }

/** By language and namespace. Left out of a translation is missing, `""` waits for its text. */
export const bundles: Record<string, Record<string, Resource>> = {
  en: {
    common: {
      nav: { home: 'Home', search: 'Search', cart: 'Cart', account: 'Your account' },
      greeting: 'Hello {{name}}',
      friend: 'A friend',
      friend_male: 'A boyfriend',
      friend_female: 'A girlfriend',
      invited_male_one: '{{count}} man was invited',
      invited_male_other: '{{count}} men were invited',
      invited_female_one: '{{count}} woman was invited',
      invited_female_other: '{{count}} women were invited',
      steps: ['Choose', 'Pay', 'Enjoy'],
      footer: { rights: '© Acme. All rights reserved.', imprint: 'Imprint' },
    },
    checkout: {
      title: 'Checkout',
      item_zero: 'Your cart is empty',
      item_one: '{{count}} item',
      item_other: '{{count}} items',
      place_ordinal_one: '{{count}}st in line',
      place_ordinal_two: '{{count}}nd in line',
      place_ordinal_few: '{{count}}rd in line',
      place_ordinal_other: '{{count}}th in line',
      total: 'Total: {{amount, currency(EUR)}}',
      pay: 'Pay now',
      terms: 'I accept the <1>terms</1>',
    },
  },
  de: {
    common: {
      nav: { home: 'Start', search: 'Suche', cart: 'Warenkorb', account: 'Ihr Konto' },
      greeting: 'Hallo {{name}}',
      friend: 'Ein Freund',
      friend_male: 'Ein Freund',
      friend_female: 'Eine Freundin',
      steps: ['Auswählen', 'Bezahlen', 'Genießen'],
      footer: { rights: '© Acme. Alle Rechte vorbehalten.', imprint: 'Impressum' },
    },
    checkout: {
      title: 'Kasse',
      item_zero: 'Ihr Warenkorb ist leer',
      item_one: '{{count}} Artikel',
      item_other: '{{count}} Artikel',
      place_ordinal_other: '{{count}}. in der Reihe',
      total: 'Summe: {{amount, currency(EUR)}}',
      pay: 'Jetzt bezahlen',
      terms: '',
    },
  },
  pl: {
    common: {
      nav: { home: 'Strona główna', search: 'Szukaj', cart: 'Koszyk', account: 'Twoje konto' },
      greeting: 'Cześć {{name}}',
      steps: ['Wybierz', 'Zapłać', 'Ciesz się'],
    },
    checkout: {
      title: 'Zamówienie',
      item_zero: 'Twój koszyk jest pusty',
      item_one: '{{count}} produkt',
      item_few: '{{count}} produkty',
      item_many: '{{count}} produktów',
      item_other: '{{count}} produktu',
      pay: 'Zapłać teraz',
    },
  },
  ar: {
    common: { nav: { home: 'الرئيسية', search: 'بحث', cart: 'السلة' }, greeting: 'مرحبا {{name}}' },
    checkout: {
      title: 'إتمام الشراء',
      item_zero: 'لا منتجات',
      item_one: 'منتج واحد',
      item_two: 'منتجان',
      item_few: '{{count}} منتجات',
      item_many: '{{count}} منتجًا',
      item_other: '{{count}} منتج',
    },
  },
  ja: {
    common: { nav: { home: 'ホーム', search: '検索', cart: 'カート' } },
    checkout: { title: 'お会計', item_other: '{{count}}個の商品' },
  },
}
