import t from 'tap'
import { putKey } from '../../src/bundle/edit-key.ts'
import { failure, json, pushed } from './pushing.ts'

const stored = pushed({
  text: 'x',
  item_one: '1',
  item_other: 'n',
  both: 'b',
  both_one: '1',
  place_ordinal_one: '1st',
  place_ordinal_other: 'nth',
  v: { '1.0': 'x' },
  list: ['x', 'y'],
})

t.test('what fits', async t => {
  const table: [name: string, value: unknown, key: string, message: unknown, result: string][] = [
    ['text', 'y', 'text', 'y', 'updated'],
    ['text', 'x', 'text', 'x', 'unchanged'],
    ['text', '', 'text', '', 'updated'],
    ['new', '', 'new', '', 'added'],
    ['friend_male', 'x', 'friend_male', 'x', 'added'],
    ['v.1.0', 'y', 'v.1.0', 'y', 'updated'],
    ['list.1', 'z', 'list.1', 'z', 'updated'],
    ['item_one', 'a', 'item', { cardinal: { one: 'a', other: 'n' } }, 'updated'],
    ['item_few', 'f', 'item', { cardinal: { one: '1', few: 'f', other: 'n' } }, 'updated'],
    ['item_one', '1', 'item', { cardinal: { one: '1', other: 'n' } }, 'unchanged'],
    ['fresh_one', '1', 'fresh', { cardinal: { one: '1' } }, 'added'],
    ['fresh_ordinal_one', '1', 'fresh', { ordinal: { one: '1' } }, 'added'],
    ['place_ordinal', 'x', 'place_ordinal', 'x', 'added'],
    ['place_ordinal_two', '2nd', 'place', { ordinal: { one: '1st', two: '2nd', other: 'nth' } }, 'updated'],
    ['both', 'c', 'both', { text: 'c', cardinal: { one: '1' } }, 'updated'],
    ['both_other', 'n', 'both', { text: 'b', cardinal: { one: '1', other: 'n' } }, 'updated'],
    ['_one', 'x', '_one', 'x', 'added'],
    ['item', { other: 'm' }, 'item', { cardinal: { other: 'm' } }, 'updated'],
    ['item', { one: '1', other: 'n' }, 'item', { cardinal: { one: '1', other: 'n' } }, 'unchanged'],
    ['both', { other: 'n' }, 'both', { text: 'b', cardinal: { other: 'n' } }, 'updated'],
    ['both_ordinal', { other: 'n' }, 'both', { text: 'b', cardinal: { one: '1' }, ordinal: { other: 'n' } }, 'updated'],
    [
      'place',
      { one: '1', other: '' },
      'place',
      { cardinal: { one: '1', other: '' }, ordinal: { one: '1st', other: 'nth' } },
      'updated',
    ],
    ['place_ordinal', { other: 'x' }, 'place', { ordinal: { other: 'x' } }, 'updated'],
    ['deep.new', { one: '1' }, 'deep.new', { cardinal: { one: '1' } }, 'added'],
  ]
  for (const [name, value, key, message, result] of table) {
    const put = putKey(stored, name, value)
    t.strictSame(
      { key: put.key, message: put.message, result: put.result },
      { key, message, result },
      `${name} = ${JSON.stringify(value)}`,
    )
    t.strictSame(put.bundle.message(key), message)
    t.equal(put.bundle === stored, result === 'unchanged')
  }
  t.match(json(putKey(stored, 'v.1.0', 'y').bundle), { v: { '1.0': 'y' }, list: ['x', 'y'] })
})

t.test('what does not', async t => {
  const table: [name: string, value: unknown][] = [
    ['item', 'x'],
    ['item', ''],
    ['place', 'x'],
    ['text_one', 'x'],
    ['text_ordinal_one', 'x'],
    ['item_ordinal_one', 'x'],
    ['place_one', 'x'],
    ['both_ordinal_one', 'x'],
    ['item_one', { one: 'x' }],
    ['item', {}],
    ['item', []],
    ['item', ['x']],
    ['item', { one: 1 }],
    ['item', { one: 'x', two_: 'y' }],
    ['item', { __proto__x: 'x' }],
    ['item', null],
    ['text', 5],
    ['text', undefined],
    ['text', '{n, plural, one {a}}'],
    ['text', 'a\0'],
    ['text', '\ud800'],
    ['text', 'x'.repeat(100_001)],
    ['item', { one: '{n, plural, one {a}}' }],
    ['list.0_one', 'x'],
    ['list.0', { one: 'x' }],
  ]
  for (const [name, value] of table) {
    t.ok(
      failure('unfit', () => putKey(stored, name, value)),
      `${name} = ${JSON.stringify(value)?.slice(0, 60)}`,
    )
  }
})
