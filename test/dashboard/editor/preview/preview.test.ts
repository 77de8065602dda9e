/** Numbers of plural forms, guessed values, and texts as i18next shows them. */
import t from 'tap'
import type { Message } from '../../../../src/bundle/message.ts'
import { examplesOf, examplesOfForm } from '../../../../src/dashboard/editor/preview/examples.ts'
import { previewOf, withTyped } from '../../../../src/dashboard/editor/preview/preview-of.ts'
import {
  exampleIn,
  isFilled,
  valueFrom,
  valuesOf,
  variablesOf,
} from '../../../../src/dashboard/editor/preview/variables.ts'

t.test('which numbers a form is for', async t => {
  const told = (language: string, kind: 'cardinal' | 'ordinal' = 'cardinal') =>
    examplesOf(language, kind)
      .map(({ form, numbers, more }) => `${form} ${numbers}${more ? ' …' : ''}`)
      .join('; ')
  t.equal(told('en'), 'one 1; other 0,2,3,4 …')
  t.equal(told('pl'), 'one 1; few 2,3,4,22 …; many 0,5,6,7 …; other 0.5,1.5')
  t.equal(told('fr'), 'one 0,1; many 1000000; other 2,3,4,5 …')
  t.equal(told('ar'), 'zero 0; one 1; two 2; few 3,4,5,6 …; many 11,12,13,14 …; other 100,101,102,200 …')
  t.equal(told('ja'), 'other 0,1,2,3 …')
  t.equal(told('en', 'ordinal'), 'one 1,21,31,41 …; two 2,22,32,42 …; few 3,23,33,43 …; other 0,4,5,6 …')
  t.equal(told('tlh'), told('en'), 'counts an unknown language as i18next does')
  t.strictSame(examplesOfForm('en', 'cardinal', 'zero').numbers, [0])
  t.strictSame(examplesOfForm('en', 'ordinal', 'zero').numbers, [])
  t.strictSame(examplesOfForm('de', 'cardinal', 'other', true).numbers, [2, 3, 4, 5], '0 has a text of its own')
  t.strictSame(examplesOfForm('fr', 'cardinal', 'one', true).numbers, [1])
  t.strictSame(examplesOfForm('ar', 'cardinal', 'zero', true).numbers, [0])
  t.strictSame(examplesOfForm('de', 'ordinal', 'other', true).numbers, [0, 1, 2, 3], 'places have none')
  t.strictSame(examplesOfForm('ja', 'cardinal', 'few').numbers, [])
})

t.test('values are guessed by format and name, each once, also of what is nested', async t => {
  const text =
    '{{count}} {{- user.name}} {{price, currency(USD)}} {{when, datetime}} {{who, list}} {{when}} {{odd thing}} $t(nested, {"x": 1})'
  const variables = variablesOf(text, name => (name === 'nested' ? 'in {{deep}} $t(nested)' : undefined))
  t.strictSame(
    variables.map(({ name, type, example }) => `${name}: ${type} ${example}`),
    [
      'count: number 3',
      'user.name: text Ann',
      'price: number 1234.5',
      'when: date 2026-11-22T09:30',
      'who: list Ann, Ben, Cem',
      'odd thing: text odd thing',
      'deep: text deep',
    ],
  )
  t.match(valuesOf(variables, { count: '5', who: 'A,B', when: 'soon', price: '' }, 'en'), {
    count: 5,
    'user.name': 'Ann',
    price: 1234.5,
    when: Date,
    who: ['A', 'B'],
    'odd thing': 'odd thing',
    deep: 'deep',
  })
  t.ok(isFilled('a $t(b)'))
  t.notOk(isFilled('<b>a</b>'))
})

const ITEMS = { cardinal: { one: '{{count}} rzecz', few: '{{count}} rzeczy' } }
const texts: Record<string, Record<string, Message>> = {
  'en/common': {
    hi: 'Hi {{user.name}}',
    'a.b': 'dotted',
    'Note: now': 'natural',
    nest: 'You have $t(items, {"count": {{n}} }) and $t(other:thing)',
    items: { cardinal: { one: '{{count}} item', other: '{{count}} items' } },
    only: 'English only, {{n, number}}',
    friend: 'A friend',
    friend_male: 'A boyfriend',
    friends_male: { cardinal: { one: 'A boyfriend', other: '{{count}} boyfriends' } },
    place: { ordinal: { one: '{{count}}st', two: '{{count}}nd', few: '{{count}}rd', other: '{{count}}th' } },
    price: '{{value, currency(USD)}}',
    bad: '{{value, currency(nothing)}}',
    list: '{{who, list}}',
  },
  'en/other': { thing: 'a thing' },
  'de/common': { hi: 'Hallo {{user.name}}', only: '', price: '{{value, currency(EUR)}}', list: '{{who, list}}' },
  'pl/common': { items: ITEMS },
}

t.test('renders texts as t() does', async t => {
  const show = (language: string, key: string, values: Record<string, unknown> = {}, ordinal = false) =>
    previewOf({
      language,
      sourceLanguage: 'en',
      namespace: 'common',
      key,
      values,
      ordinal,
      lookup: (language, namespace, key) => texts[`${language}/${namespace}`]?.[key],
    })
  const rows: [shown: ReturnType<typeof show>, text: string, from?: 'source' | 'none'][] = [
    [show('en', 'hi', { 'user.name': 'Ann <b>' }), 'Hi Ann <b>'],
    [show('de', 'hi', { 'user.name': 'Ann' }), 'Hallo Ann'],
    [show('en', 'a.b'), 'dotted'],
    [show('en', 'Note: now'), 'natural'],
    [show('en', 'nest', { n: 2 }), 'You have 2 items and a thing'],
    [show('de', 'only', { n: 1234.5 }), 'English only, 1.234,5', 'source'],
    [show('pl', 'items', { count: 1 }), '1 rzecz'],
    [show('pl', 'items', { count: 3 }), '3 rzeczy'],
    [show('pl', 'items', { count: 5 }), '5 items', 'source'],
    [show('en', 'friend', { context: 'male' }), 'A boyfriend'],
    [show('en', 'friend_male'), 'A boyfriend'],
    [show('en', 'friends_male', { count: 2 }), '2 boyfriends'],
    [show('en', 'place', { count: 22 }, true), '22nd'],
    [show('en', 'price', { value: 1234.5 }), '$1,234.50'],
    [show('de', 'price', { value: 1234.5 }), '1.234,50\u00a0€'],
    [show('de', 'list', { who: ['A', 'B', 'C'] }), 'A, B und C'],
    [show('en', 'none'), 'none', 'none'],
  ]
  for (const [{ text, from, error }, expected, own = 'language'] of rows) {
    t.equal(text, expected)
    t.equal(from, own, `whose: ${expected}`)
    t.equal(error, undefined)
  }
  t.match(show('en', 'bad', { value: 1 }).error ?? show('en', 'bad', { value: 1 }).text, /nothing|1/)
})

t.test('what is typed lies over what is saved', async t => {
  const typed = { language: 'pl', namespace: 'common', key: 'items' }
  const lookup = () => ITEMS
  const over = (ending: string, text: string, key = 'items') =>
    withTyped(lookup, { ...typed, ending, text })('pl', 'common', key)
  t.strictSame(over('_many', 'x'), { cardinal: { one: '{{count}} rzecz', few: '{{count}} rzeczy', many: 'x' } })
  t.strictSame(over('_ordinal_other', 'x'), { cardinal: ITEMS.cardinal, ordinal: { other: 'x' } })
  t.match(over('', 'x'), { text: 'x' })
  t.equal(over('_many', 'x', 'other'), lookup())
  t.strictSame(withTyped(() => undefined, { ...typed, ending: '', text: 'x' })('pl', 'common', 'items'), 'x')
})

t.test('numbers are read and written as the reader does', async t => {
  const [price] = variablesOf('{{price, currency(USD)}}')
  const rows: [language: string, typed: string, value: number | undefined, example: string][] = [
    ['en', '1,234.5', 1234.5, '1234.5'],
    ['de', '1,5', 1.5, '1234,5'],
    ['pl', '1 234,5', 1234.5, '1234,5'],
    ['ja', '３', 3, '1234.5'],
    ['ar', '١٫٥', 1.5, new Intl.NumberFormat('ar', { useGrouping: false }).format(1234.5)],
    ['en', 'abc', undefined, '1234.5'],
    ['en', '', undefined, '1234.5'],
  ]
  for (const [language, typed, value, example] of rows) {
    t.equal(valueFrom('number', typed, language), value, `${typed} in ${language}`)
    t.equal(exampleIn(language, price!), example)
    t.equal(valuesOf([price!], {}, language).price, 1234.5, 'an example is read as it is written')
  }
})
