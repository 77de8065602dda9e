/** A project with other placeholder marks: the editor compares, offers, fills and limits these. */
import t from 'tap'
import { faultsOf } from '../../../src/dashboard/editor/field/faults-of.ts'
import { chipsOf, isHeavy, leavesFor, MOST_PLACEHOLDERS } from '../../../src/dashboard/editor/model/leaves.ts'
import { cellOf, rowsOf, rulesFor } from '../../../src/dashboard/editor/model/rows.ts'
import { previewOf } from '../../../src/dashboard/editor/preview/preview-of.ts'
import { isFilled, valuesOf, variablesOf } from '../../../src/dashboard/editor/preview/variables.ts'
import { changesOf } from '../../../src/dashboard/editor/replace/changes.ts'

const SYNTAXES = [
  undefined,
  { prefix: '__', suffix: '__' },
  { prefix: '{', suffix: '}' },
  { prefix: '<%=', suffix: '%>' },
]

for (const interpolation of SYNTAXES) {
  const { prefix, suffix } = interpolation ?? { prefix: '{{', suffix: '}}' }
  const of = (inside: string) => prefix + inside + suffix
  const other = interpolation ? '{{name}}'.replaceAll(prefix, '((') : '__name__'

  t.test(`${prefix}name${suffix}`, async t => {
    const checked = { language: 'de', ending: '' }
    const project = { source: 'en', interpolation }
    const source = `Hi ${of('name')} ${other}`
    t.strictSame(faultsOf({ ...checked, source, text: `${of('name')} hallo` }, project), [])
    const missing = { is: 'missing', kind: 'interpolation', what: [of('name')] }
    t.strictSame(faultsOf({ ...checked, source, text: 'Hallo' }, project), [missing])

    const rules = rulesFor({ source: 'en', interpolation }, 'de')
    const { problems } = cellOf(source, 'Hallo', undefined, rules)
    t.strictSame(problems, [{ kind: 'interpolation', missing: [of('name')], extra: [] }])
    const key = { namespace: 'common', key: 'a' }
    const read = { source: [{ ...key, message: source }], targets: [[{ ...key, message: 'Hallo' }]], stale: [[]] }
    const columns = { source: 'en', targets: ['de'], interpolation }
    t.strictSame(rowsOf({ ...read, columns, namespace: undefined }, new Map())[0]!.cells[0]!.problems, problems)
    const japanese = { cardinal: { other: `${of('count')} items` } }
    t.strictSame(
      leavesFor(japanese, undefined, rulesFor({ source: 'ja', interpolation }, 'en')).map(({ ending }) => ending),
      ['_one', '_other'],
    )

    t.strictSame(chipsOf(`${of('b, number')} ${of('- a')}`, interpolation), [of('b, number'), of('- a')])
    // Each `<` counts by itself.
    t.notOk(isHeavy(of('n').repeat(MOST_PLACEHOLDERS / (prefix.startsWith('<') ? 2 : 1)), interpolation))
    t.ok(isHeavy(of('n').repeat(MOST_PLACEHOLDERS + 1), interpolation))

    const text = `${of('- who')} ${of('price, currency(USD)')}`
    t.ok(isFilled(text, interpolation))
    t.notOk(isFilled(other, interpolation))
    const variables = variablesOf(text, undefined, interpolation)
    t.strictSame(
      variables.map(({ name, type }) => `${name} ${type}`),
      ['who text', 'price number'],
    )
    const lookup = () => text
    const place = { language: 'en', sourceLanguage: 'en', namespace: 'common', key: 'a', lookup }
    t.equal(previewOf({ ...place, interpolation, values: valuesOf(variables, {}, 'en') }).text, 'Ann $1,234.50')

    const candidate = { id: '', language: 'de', namespace: 'common', key: 'a', ending: '', text: of('name'), source }
    t.strictSame(changesOf([candidate], ['x'], project)[0]!.checks, [missing])
  })
}
