/** The tree of keys. */
import t from 'tap'
import { flat, type Item, tree } from '../../../../src/dashboard/editor/model/items.ts'
import { idOf, rowsOf } from '../../../../src/dashboard/editor/model/rows.ts'

const rowsWith = (...names: [namespace: string, key: string][]) => {
  const source = names.map(([namespace, key]) => ({ namespace, key, message: key }))
  const columns = { source: 'en', targets: ['de'] }
  return rowsOf({ source, targets: [[]], stale: [[]], columns, namespace: undefined }, new Map())
}
const drawn = (items: readonly Item[]) =>
  items.map(item => `${'  '.repeat(item.depth)}${item.kind === 'group' ? `${item.name} (${item.count})` : item.name}`)

const rows = rowsWith(['common', 'nav.home'], ['common', 'nav.top.cart'], ['common', 'title'], ['shop', 'pay'])

t.test('keys stand under what they begin with; what is alone there has no heading', async t => {
  t.strictSame(drawn(tree(rows.slice(0, 3), new Set(), false)), ['nav (2)', '  home', '  top.cart', 'title'])
})

t.test('namespaces are headings', async t => {
  const lines = drawn(tree(rows, new Set(), true))
  t.strictSame(lines, ['common (3)', '  nav (2)', '    home', '    top.cart', '  title', 'shop (1)', '  pay'])
})

t.test('closed headings hide what is below', async t => {
  const closed = new Set([idOf('common', 'nav.')])
  t.strictSame(drawn(tree(rows.slice(0, 3), closed, false)), ['nav (2)', 'title'])
})

t.test('reuses the item of an unchanged row, which avoids rerenders', async t => {
  const saved = rows.with(1, { ...rows[1]! })
  for (const linesOf of [flat, (of: typeof rows) => tree(of, new Set(), false)]) {
    const before = linesOf(rows).filter(({ kind }) => kind === 'row')
    const after = linesOf(saved).filter(({ kind }) => kind === 'row')
    t.strictSame(
      after.map((line, at) => line === before[at]),
      [true, false, true, true],
    )
  }
})
