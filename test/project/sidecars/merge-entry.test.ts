/** Versions of a sidecar's entries in one: lists item by item, other entries by member. */
import t from 'tap'
import { mergeEntries } from '../../../src/project/sidecars/key-file.ts'
import { joinEntries, mergeEntry, mergeKeyFiles } from '../../../src/project/sidecars/merge-entry.ts'

const item = (id: string, text: string, more: object = {}) => ({ id, at: `2026-11-2${id}`, text, ...more })
const [one, two, three] = [item('1', 'one'), item('2', 'two'), item('3', 'three')]
const json = (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

const CASES: [name: string, base: unknown, theirs: unknown, mine: unknown, merged: unknown][] = [
  ['both add an item', [one], [one, three], [one, two], [one, two, three]],
  ['both begin a list', undefined, [two], [one], [one, two]],
  ['one side removes an item, the other adds one', [one, two], [one, two, three], [two], [two, three]],
  ['one side removes the list, the other adds an item', [one], [one, two], undefined, [two]],
  ['both remove all', [one, two], [one], [two], undefined],
  ['a changed item is not removed', [one], [item('1', 'new')], undefined, [item('1', 'new')]],
  [
    'different members of one item',
    [one],
    [item('1', 'new')],
    [{ ...one, resolved: true }],
    [item('1', 'new', { resolved: true })],
  ],
  [
    'an undone member leaves a later one',
    [{ ...one, done: true }],
    [{ ...one, text: 'x', done: true }],
    [one],
    [item('1', 'x')],
  ],
  ['the same member', [one], [item('1', 'theirs')], [item('1', 'mine')], [item('1', 'mine')]],
  ['an id that is a name of JavaScript', [], [{ ...one, id: '__proto__' }], [two], [{ ...one, id: '__proto__' }, two]],
  ['objects', { a: 1 }, { a: 1, b: 2 }, { a: 3 }, { a: 3, b: 2 }],
  ['a list without ids is one value', ['a'], ['b'], ['c'], ['c']],
]

t.test('merges versions of an entry', async t => {
  for (const [name, base, theirs, mine, merged] of CASES)
    t.strictSame(json(mergeEntry(base, theirs, mine)), merged, name)
})

t.test('merges files by key, and any name is a key', async t => {
  const parse = JSON.parse as (text: string) => unknown
  const file = (name: string, ...items: object[]) => parse(`{"${name}":${JSON.stringify(items)}}`)
  const merged = mergeKeyFiles(file('__proto__', one), file('__proto__', one, two), file('__proto__', one, three))
  t.equal(JSON.stringify(merged), JSON.stringify(file('__proto__', one, two, three)))
  t.strictSame(json(mergeKeyFiles({ a: [one] }, { a: [one] }, {})), {}, 'no empty list')
  t.strictSame(mergeKeyFiles(undefined, [], {}), {})
})

t.test('joins lists, and replaces other entries', async t => {
  t.strictSame(json(joinEntries([two], [one])), [one, two])
  t.strictSame(joinEntries({ note: 'a' }, { max: 1 }), { max: 1 })
  t.strictSame(joinEntries(undefined, [one]), [one])
  const file = (value: object) => Buffer.from(JSON.stringify(value))
  const { file: both } = mergeEntries({
    path: 'x',
    files: [file({ a: [one], b: {} }), file({ a: [two], b: { c: 1 } })],
  })
  t.strictSame(JSON.parse(String(both)), { a: [one, two], b: { c: 1 } })
})
