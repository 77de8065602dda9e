/** Problems by kind: those that the dashboard computes, and those that the server alone finds. */
import t from 'tap'
import {
  ALL,
  countProblems,
  filterOf,
  matcher,
  problemKind,
  queryOf,
} from '../../../../src/dashboard/editor/model/filter.ts'
import { patchedRows, type RowSources, reportedAlone, rowsOf } from '../../../../src/dashboard/editor/model/rows.ts'

const texts = (all: Record<string, string>) =>
  Object.entries(all).map(([key, message]) => ({ namespace: 'common', key, message }))
const avoid = { kind: 'avoid', missing: [], extra: ['Login'] }
const read: RowSources = {
  source: texts({ clean: 'Yes', name: 'Hi {{name}}', space: 'Hello ', both: ' {{a}} ', word: 'Sign in' }),
  targets: [texts({ clean: 'Ja', name: 'Hallo', space: 'Hallo', both: '{{b}}', word: 'Login' })],
  stale: [[{ namespace: 'common', key: 'word', problems: [avoid] }]],
  columns: { source: 'en', targets: ['de'] },
  namespace: undefined,
}
const rows = rowsOf(read, new Map())
const found = (query: string) =>
  rows.filter(matcher(filterOf(new URLSearchParams(query)), { unsaved: new Set() })).map(({ key }) => key)

t.test('counts rows, not problems', async t => {
  t.strictSame(countProblems(rows), [
    ['avoid', 1],
    ['placeholder', 2],
    ['space', 2],
  ])
  t.strictSame(['interpolation', 'nesting', 'tag', 'space', 'term'].map(problemKind), [
    ...['placeholder', 'placeholder', 'placeholder', 'space', 'term'],
  ])
})

t.test('a filter by kinds narrows the one of all problems', async t => {
  t.strictSame(found('is=problems'), ['both', 'name', 'space', 'word'])
  t.strictSame(found('is=problems&problem=space'), ['both', 'space'])
  t.strictSame(found('problem=avoid'), ['word'], 'a kind asks for problems')
  t.strictSame(found('is=problems&problem=placeholder,avoid'), ['both', 'name', 'word'])
  t.strictSame(found('is=problems&problem=unheard'), [])
  t.strictSame(found('is=problems,translated&problem=space'), ['both', 'clean', 'name', 'space', 'word'], 'or')
})

t.test('it stands in the address as long as problems are asked for', async t => {
  const problems = ['space', 'term']
  t.equal(queryOf({ ...ALL, is: ['problems'], problems }).problem, 'space,term')
  t.equal(queryOf({ ...ALL, problems }).problem, null)
  t.strictSame(filterOf(new URLSearchParams('problem=space,space,')), { ...ALL, is: ['problems'], problems: ['space'] })
})

t.test('a problem that the server alone finds comes and goes with its answer', async t => {
  const word = rows.find(({ key }) => key === 'word')!.cells[0]!
  t.strictSame(word.problems, [avoid])
  t.strictSame(word.is, ['translated', 'problems'])
  t.equal(word.sourceThen, undefined)
  const byId = new Map(rows.map(row => [row.id, row]))
  t.equal(rowsOf(read, byId)[4], byId.get('common\nword'), 'an equal answer leaves the row')
  const without = { ...read, stale: [[]] }
  for (const now of [rowsOf(without, byId), patchedRows(rows, read, without)!]) {
    t.strictSame(now.find(({ key }) => key === 'word')!.cells[0]!.is, ['translated'])
  }
  t.strictSame(
    reportedAlone([avoid, { kind: 'space', missing: ['end'], extra: [] }]),
    [avoid],
    'others are computed here, for typed texts too',
  )
})
