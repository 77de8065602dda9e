/** Keys with the same source text, and their translations. */
import t from 'tap'
import { alikeIn, sameTexts, usesIn } from '../../../../src/dashboard/editor/model/related-rows.ts'
import { rowsOf } from '../../../../src/dashboard/editor/model/rows.ts'

const rowsIn = (texts: Record<string, string | object>) =>
  Object.entries(texts).map(([key, message]) => ({ namespace: 'common', key, message }))
const columns = { source: 'en', targets: ['de'] }

t.test('groups the translations of other keys with the same source, the most frequent first', async t => {
  const source = rowsIn({ done: 'OK', empty: 'ok', fine: 'Ok', good: 'OK', other: 'Other', well: 'OK', wrong: 'OK' })
  const targets = [
    rowsIn({ empty: '', fine: 'Gut', good: 'Schön', other: 'Anderes', well: 'Schön', wrong: 'Gut {{name}}' }),
  ]
  const rows = rowsOf({ source, targets, stale: [[]], columns, namespace: undefined }, new Map())
  const alike = alikeIn(source, rows)
  const said = (key: string, ending = '') =>
    sameTexts(alike(rows.find(row => row.key === key)!), 0, ending, text => !text.includes('{{')).map(
      ({ text, rows }) => `${text}: ${rows.map(({ key }) => key).join(' ')}`,
    )
  t.strictSame(said('done'), ['Schön: good well', 'Gut: fine', ': empty'], 'without the text that does not fit')
  t.strictSame(said('done', '_few'), [': empty fine good well wrong'], 'a form that none of them has')
  t.strictSame(said('other'), [])
})

t.test('finds the keys that nest a key, in its namespace or by a full name', async t => {
  const source = rowsIn({
    name: 'Acme',
    title: 'Welcome to $t(name), $t(name)',
    mail: 'Write to $t(common:name, { "count": 2 })',
    plain: 'name',
  })
  const rows = rowsOf({ source, targets: [[]], stale: [[]], columns, namespace: undefined }, new Map())
  const uses = usesIn(source, rows)
  const by = (key: string) => uses(rows.find(row => row.key === key)!).map(({ key }) => key)
  t.strictSame(by('name'), ['mail', 'title'])
  t.strictSame(by('title'), [])
})
