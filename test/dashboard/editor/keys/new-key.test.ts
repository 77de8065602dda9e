/** What is asked for a new key. */
import t from 'tap'
import { contextsIn, formNamed, slotsOf } from '../../../../src/dashboard/editor/keys/new-key.ts'

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
