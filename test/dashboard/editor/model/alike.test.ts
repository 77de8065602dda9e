/** What keys with the same source say. */
import t from 'tap'
import { alikeIn, firstTextsByMessage } from '../../../../src/dashboard/editor/model/alike.ts'
import { rowsOf } from '../../../../src/dashboard/editor/model/rows.ts'

t.test('other keys with the same source, those that say something first', async t => {
  const rowsIn = (texts: Record<string, string | object>) =>
    Object.entries(texts).map(([key, message]) => ({ namespace: 'common', key, message }))
  const source = rowsIn({ done: 'OK', empty: 'ok', fine: 'Ok', other: 'Other' })
  const targets = [rowsIn({ empty: '', fine: 'Gut', other: 'Anderes' })]
  const columns = { source: 'en', targets: ['de'] }
  const rows = rowsOf({ source, targets, stale: [[]], columns, namespace: undefined }, new Map())
  const alike = alikeIn(source, rows)
  const said = (key: string, ending = '') =>
    firstTextsByMessage(alike(rows.find(row => row.key === key)!), 0, ending).map(
      ({ row, text }) => `${row.key} ${text}`,
    )
  t.strictSame(said('done'), ['fine Gut', 'empty '])
  t.strictSame(said('fine'), ['done ', 'empty '])
  t.strictSame(said('done', '_few'), ['empty ', 'fine '], 'a form that none of them has')
  t.strictSame(said('other'), [])
})
