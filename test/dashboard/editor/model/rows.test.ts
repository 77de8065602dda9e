/** Rows of the editor: their order, their status, and the reuse of unchanged objects. */
import t from 'tap'
import { idOf, patchedRows, type RowSources, rowsOf } from '../../../../src/dashboard/editor/model/rows.ts'

const rowsIn = (texts: Record<string, unknown>) =>
  Object.entries(texts).map(([key, message]) => ({ namespace: 'common', key, message }))
const read = (changes: Partial<RowSources> = {}): RowSources => ({
  source: rowsIn({
    'friend.name': 'Name',
    friendly: 'Kind',
    friend_male: 'He',
    friend: 'Friend',
    hello: 'Hello, {{name}}!',
    item: { cardinal: { one: '{{count}} item', other: '{{count}} items' } },
  }),
  targets: [
    rowsIn({ friend: 'Freund', hello: 'Hallo, {{nam}}!', item: { cardinal: { one: 'x' } }, old: 'Alt', friendly: '' }),
  ],
  stale: [[{ namespace: 'common', key: 'friend', sourceThen: 'Pal' }]],
  columns: { source: 'en', targets: ['de'] },
  namespace: undefined,
  ...changes,
})
const none = new Map()
const byId = (rows: ReturnType<typeof rowsOf>) => new Map(rows.map(row => [row.id, row]))

t.test('a key’s contexts and children follow it', async t => {
  const keys = rowsOf(read(), none).map(({ key }) => key)
  t.strictSame(keys, ['friend', 'friend_male', 'friend.name', 'friendly', 'hello', 'item', 'old'])
})

t.test('reports the same status of a text as the server', async t => {
  const told = Object.fromEntries(rowsOf(read(), none).map(({ key, cells }) => [key, cells[0]!.is]))
  t.strictSame(told, {
    friend: ['translated', 'stale'],
    friend_male: ['missing'],
    'friend.name': ['missing'],
    friendly: ['empty'],
    hello: ['translated', 'problems'],
    item: ['incomplete'],
    old: ['extra'],
  })
})

t.test('rows that are as they were stay the same objects', async t => {
  const before = rowsOf(read(), none)
  const other = read()
  const targets = [other.targets[0]!.map(row => (row.key === 'hello' ? { ...row, message: 'Hallo, {{name}}!' } : row))]
  const after = rowsOf({ ...other, targets }, byId(before))
  const same = after.filter((row, at) => row === before[at]).length
  t.equal(same, before.length - 1)
  t.strictSame(after.find(({ key }) => key === 'hello')!.cells[0]!.is, ['translated'])
})

t.test('a patch of few changes equals a rebuild', async t => {
  const was = read()
  const rows = rowsOf(was, none)
  const target = was.targets[0]!
  const cases: Partial<RowSources>[] = [
    { targets: [target.with(1, { ...target[1]!, message: 'Hallo!' })] },
    { targets: [[...target, { namespace: 'common', key: 'friend_male', message: 'Er' }]] },
    { stale: [[]] },
    { stale: [[...was.stale[0]!, { namespace: 'common', key: 'hello', sourceThen: 'Hi' }]] },
  ]
  for (const change of cases) {
    const is = { ...was, ...change }
    const patched = patchedRows(rows, was, is)
    t.strictSame(patched, rowsOf(is, none))
    t.equal(patched!.filter((row, at) => row !== rows[at]).length, 1, 'one row is another')
  }
  t.equal(patchedRows(rows, was, { ...was, targets: [target.slice(1)] }), undefined, 'a key that went')
  const unknown = { namespace: 'common', key: 'new', message: 'Neu' }
  t.equal(patchedRows(rows, was, { ...was, targets: [[...target, unknown]] }), undefined, 'a key without a row')
  t.equal(patchedRows(rows, was, { ...was, source: [...was.source] }), undefined, 'another source')
})

t.test('a namespace is shown alone', async t => {
  const source = [...read().source, { namespace: 'shop', key: 'pay', message: 'Pay' }]
  const rows = rowsOf(read({ source, namespace: 'shop' }), none)
  t.strictSame(
    rows.map(({ id }) => id),
    [idOf('shop', 'pay')],
  )
})
