/** The names of a new key, and which of them would break the nesting of a namespace. */
import t from 'tap'
import { contextsIn, crossing, formNamed, namesOf, slotsOf } from '../../../../src/dashboard/editor/keys/key-names.ts'

t.test('a text, a plural and variants by context', async t => {
  const names = (kind: 'text' | 'cardinal' | 'ordinal', contexts: string[], language = 'en') =>
    slotsOf({ name: 'friend', kind, contexts }, language).map(({ name }) => name)
  t.strictSame(names('text', []), ['friend'])
  t.strictSame(names('text', ['male']), ['friend', 'friend_male'])
  t.strictSame(names('cardinal', ['male']), ['friend_one', 'friend_other', 'friend_male_one', 'friend_male_other'])
  t.strictSame(names('cardinal', [], 'pl'), ['friend_one', 'friend_few', 'friend_many', 'friend_other'])
  t.strictSame(names('ordinal', [], 'de'), ['friend_ordinal_other'])
})

t.test('contexts as they are typed', async t => {
  t.strictSame(contextsIn(''), [])
  t.strictSame(contextsIn(' male, female ،male、other'), ['male', 'female', 'other'])
})

t.test('a name that would be read as a form of another key', async t => {
  t.equal(formNamed({ name: 'item_one', kind: 'text', contexts: [] }), 'item')
  t.equal(formNamed({ name: 'item', kind: 'text', contexts: ['few'] }), 'item')
  t.equal(formNamed({ name: 'place_ordinal', kind: 'cardinal', contexts: [] }), 'place')
  t.equal(formNamed({ name: 'item', kind: 'cardinal', contexts: ['male'] }), undefined)
})

t.test('a text where others nest, and what nests where a text is', async t => {
  const present = [
    { key: 'order.title', source: 'Order' },
    { key: 'home', source: 'Home' },
    { key: 'item', source: { cardinal: { one: 'x', other: 'y' } } },
    { key: 'Loading...', source: 'Wait' },
    { key: 'own.deep', source: undefined },
  ]
  const rows: [name: string, found: string | undefined][] = [
    ['order', 'below order.title'],
    ['order.title.x', 'above order.title'],
    ['order.other', undefined],
    ['orde', undefined],
    ['home.a', 'above home'],
    ['home.a.b', 'above home'],
    ['homes.a', undefined],
    ['item.a', undefined],
    ['item_one.a', 'above item_one'],
    ['own', 'below own.deep'],
    ['own.deep.er', 'above own.deep'],
    ['Loading', undefined],
    ['home. Sentence', undefined],
  ]
  for (const [name, found] of rows) {
    const one = crossing([name], present)
    t.equal(one && `${one.is} ${one.key}`, found, name)
  }
  t.strictSame(crossing(['a', 'order_one', 'home.x'], present), { is: 'above', key: 'home' }, 'any of several')
  t.strictSame(namesOf({ key: 'a', source: { text: 'x', cardinal: { one: 'y' } } }), ['a', 'a_one'])
})
