/** The order of the review queue. */
import t from 'tap'
import type { SuggestionRow } from '../../../src/dashboard/api/late-client.ts'
import { orderByRisk, risksOf } from '../../../src/dashboard/review/order-by-risk.ts'

const row = (id: string, differs: Partial<SuggestionRow> = {}): SuggestionRow => ({
  ...{ id, language: 'de', namespace: 'common', key: id, message: 'Text', by: { id: 'u1', name: 'Mia' } },
  ...{ at: '2026-11-28T10:00:00.000Z', source: 'Text', present: null, fits: true, problems: [] },
  ...differs,
})

t.test('names the reasons, the most urgent first', async t => {
  t.strictSame(risksOf(row('plain')), [])
  const all = {
    by: 'machine',
    fits: false,
    problems: [{ kind: 'space' as const }],
    message: `{{name}} ${'x'.repeat(200)}`,
  }
  t.strictSame(risksOf(row('all', all as Partial<SuggestionRow>)), [
    'machine',
    'source',
    'problems',
    'placeholders',
    'long',
  ])
  t.strictSame(risksOf(row('plural', { message: { cardinal: { one: 'x', other: '{{count}}' } } })), ['placeholders'])
})

t.test('puts one urgent reason before several others, and the oldest first among equals', async t => {
  const rows = [
    row('new', { at: '2026-11-28T12:00:00.000Z' }),
    row('old'),
    row('long', { message: `{{a}} ${'x'.repeat(300)}` }),
    row('source', { fits: false }),
    row('machine', { by: 'deepl' }),
  ]
  t.strictSame(
    orderByRisk(rows).map(({ id }) => id),
    ['machine', 'source', 'long', 'old', 'new'],
  )
})
