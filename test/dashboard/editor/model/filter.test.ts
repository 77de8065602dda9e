/** Which rows a filter asks for, and how it stands in an address. */
import t from 'tap'
import {
  ALL,
  asksForAll,
  countKinds,
  filterOf,
  matcher,
  queryOf,
  type RowFilter,
  type RowMarks,
} from '../../../../src/dashboard/editor/model/filter.ts'
import { idOf, rowsOf } from '../../../../src/dashboard/editor/model/rows.ts'

const texts = (all: Record<string, string>) =>
  Object.entries(all).map(([key, message]) => ({ namespace: 'common', key, message }))
const rows = rowsOf(
  {
    source: texts({ 'nav.home': 'Home', street: 'Street', cafe: 'A café' }),
    targets: [texts({ street: 'Große STRASSE', cafe: 'Ein Cafe\u0301' })],
    stale: [[{ namespace: 'common', key: 'cafe', sourceThen: 'Coffee' }]],
    columns: { source: 'en', targets: ['de'] },
    namespace: undefined,
  },
  new Map(),
)
const found = (filter: Partial<RowFilter>, unsaved: string[] = [], changed?: string[]) => {
  const known = { unsaved: new Set(unsaved), ...(changed && { changed: new Set(changed) }) }
  return rows.filter(matcher({ ...ALL, ...filter }, known)).map(({ key }) => key)
}

t.test('kinds are joined by or, all else by and', async t => {
  t.strictSame(found({}), ['cafe', 'nav.home', 'street'])
  t.strictSame(found({ is: ['missing', 'stale'] }), ['cafe', 'nav.home'])
  t.strictSame(found({ is: ['missing'], search: 'street' }), [])
  t.strictSame(found({ is: ['unsaved'] }, [idOf('common', 'street')]), ['street'])
  t.strictSame(found({ by: 'ann@example.com' }), [], 'nothing while it is not known')
  t.strictSame(found({ since: '2026-11-20' }, [], [idOf('common', 'cafe')]), ['cafe'])
})

t.test('an approval is listed by itself, or by the texts without one', async t => {
  const none = { suggested: new Set<string>(), machine: new Set<string>(), refused: new Map(), isRead: true }
  const found = (is: RowFilter['is'], marks: RowMarks) =>
    rows.filter(matcher({ ...ALL, is }, { unsaved: new Set(), marks })).map(({ key }) => key)
  const street = new Set([idOf('common', 'street')])
  const approved: RowMarks = { ...none, listed: street, lists: 'approved' }
  t.strictSame(found(['approved'], approved), ['street'])
  t.strictSame(found(['unapproved'], approved), ['cafe'], 'a missing text is neither')
  const unapproved: RowMarks = { ...none, listed: street, lists: 'unapproved' }
  t.strictSame(found(['approved'], unapproved), ['cafe'])
  t.strictSame(found(['unapproved'], unapproved), ['street'])
  t.strictSame(found(['approved', 'unapproved'], { ...approved, listed: undefined }), [], 'approvals are not in use')
  t.strictSame(found(['machine'], { ...approved, machine: street }), ['street'])
  const all = new Map(rows.map(({ id, ...row }) => [id, { ...row, machine: 'DeepL', faults: [] }]))
  t.strictSame(found(['refused'], { ...approved, refused: all }), ['cafe', 'nav.home'], 'a translated text is not')
  const counts = countKinds(rows, { unsaved: new Set(), marks: { ...approved, suggested: street } })
  t.match(counts, { approved: 1, unapproved: 1, machine: 0, suggested: 1 })
})

t.test('searches without regard to case and composition, in the given places only', async t => {
  t.strictSame(found({ search: 'STRAße' }), ['street'])
  t.strictSame(found({ search: 'CAFÉ' }), ['cafe'])
  t.strictSame(found({ search: 'ein café' }), ['cafe'], 'all words')
  t.strictSame(found({ search: 'NAV.' }), ['nav.home'])
  t.strictSame(found({ search: 'nav', places: ['target'] }), [])
  t.strictSame(found({ search: 'common:' }), ['cafe', 'nav.home', 'street'], 'the namespace is part of the key')
})

t.test('a filter comes back from its address', async t => {
  const filter: RowFilter = {
    is: ['missing', 'stale', 'problems'],
    problems: ['space', 'term'],
    search: 'a & b',
    places: ['key'],
    by: 'ann@example.com',
    since: 'v1',
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(queryOf(filter))) if (value !== null) query.set(name, value)
  t.strictSame(filterOf(new URLSearchParams(query.toString())), filter)
  t.strictSame(
    filterOf(new URLSearchParams('is=none,stale&find=x')),
    { ...ALL, is: ['stale'] },
    'what is unknown is not asked for',
  )
  t.equal(asksForAll(filterOf(new URLSearchParams())), true)
})

t.test('counts', async t => {
  const { missing, translated, stale, unsaved } = countKinds(rows, { unsaved: new Set([idOf('common', 'cafe')]) })
  t.strictSame({ missing, translated, stale, unsaved }, { missing: 1, translated: 2, stale: 1, unsaved: 1 })
})
