import fc from 'fast-check'
import t from 'tap'
import { changedTexts, FORMS, join, type LeafName, messageOf, partsOf, peel } from '../../src/bundle/message.ts'

t.test('peel looks at the suffix alone', async t => {
  const table: [string, LeafName][] = [
    ['item', { key: 'item', kind: 'text' }],
    ['item_one', { key: 'item', kind: 'cardinal', form: 'one' }],
    ['friend_male_other', { key: 'friend_male', kind: 'cardinal', form: 'other' }],
    ['place_ordinal_two', { key: 'place', kind: 'ordinal', form: 'two' }],
    ['place_ordinal', { key: 'place_ordinal', kind: 'text' }],
    ['_one', { key: '_one', kind: 'text' }],
    ['_ordinal_one', { key: '_ordinal', kind: 'cardinal', form: 'one' }],
    ['a._one', { key: 'a.', kind: 'cardinal', form: 'one' }],
    ['a._ordinal_one', { key: 'a.', kind: 'ordinal', form: 'one' }],
    ['item_One', { key: 'item_One', kind: 'text' }],
    ['item_one ', { key: 'item_one ', kind: 'text' }],
    ['one', { key: 'one', kind: 'text' }],
    ['a\n_few', { key: 'a\n', kind: 'cardinal', form: 'few' }],
    ['x__one', { key: 'x_', kind: 'cardinal', form: 'one' }],
    ['item_one_other', { key: 'item_one', kind: 'cardinal', form: 'other' }],
  ]
  for (const [name, leaf] of table) t.strictSame(peel(name), leaf, name)
})

t.test('peel is the pattern of the contract, and join its inverse', async () => {
  const pattern = /^([\s\S]+)_(zero|one|two|few|many|other)$/
  const parts = fc.constantFrom('_', 'a', '.', 'ordinal', '_ordinal', ...FORMS, ...FORMS.map(form => `_${form}`))
  const name = fc.array(parts, { maxLength: 6 }).map(list => list.join(''))
  fc.assert(
    fc.property(name, name => {
      const leaf = peel(name)
      const match = pattern.exec(name)
      return join(leaf) === name && (match === null) === (leaf.kind === 'text')
    }),
    { numRuns: 1000 },
  )
})

t.test('a message is a string only when there is a text alone; forms stand in CLDR order', async t => {
  t.equal(messageOf({ text: 'x', cardinal: undefined, ordinal: undefined }), 'x')
  const both = messageOf({ text: '', cardinal: { other: 'n', one: '1' }, ordinal: { two: '2' } })
  t.equal(JSON.stringify(both), '{"text":"","cardinal":{"one":"1","other":"n"},"ordinal":{"two":"2"}}')
})

t.test('two messages differ in their texts and forms, by the endings of their names', async t => {
  const [one, other] = [
    { text: 'x', cardinal: { one: '1', other: 'n' } },
    { text: 'x', ordinal: { few: 'f' } },
  ]
  t.strictSame(changedTexts(one, other), [
    { ending: '_one', before: '1', after: undefined },
    { ending: '_other', before: 'n', after: undefined },
    { ending: '_ordinal_few', before: undefined, after: 'f' },
  ])
  t.strictSame(changedTexts(null, ''), [{ ending: '', before: undefined, after: '' }])
  t.strictSame(changedTexts(one, one), [])
  t.strictSame(partsOf(null), { text: undefined, cardinal: undefined, ordinal: undefined })
})
