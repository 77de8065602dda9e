/** The faults of a text while it is typed: the server's problems of one form, and its refusals. */
import t from 'tap'
import type { Message } from '../../../../src/bundle/message.ts'
import { faultsOf, isRefused, type TextFault } from '../../../../src/dashboard/editor/field/faults-of.ts'
import { chipsOf, MOST_CHIPS } from '../../../../src/dashboard/editor/model/chips.ts'
import { cost } from '../../../processor-time.ts'

const items = { cardinal: { one: '{{count}} item of {{name}}', other: '{{count}} items of {{name}}' } }
const short = (check: TextFault) =>
  'what' in check ? `${check.is} ${check.kind} ${check.what.join(' ')}` : Object.values(check).join(' ')

t.test('lists the faults of a text', async t => {
  const rows: [source: Message | null, text: string, form: string | undefined, ...told: string[]][] = [
    ['Hi {{name}}', 'Hallo {{name}}', undefined],
    ['Hi {{name}}', '', undefined],
    ['Hi {{name}}', 'Hallo {{nme}}', undefined, 'missing interpolation {{name}}', 'extra interpolation {{nme}}'],
    ['<b>Hi</b>', '<b>Hallo', undefined, 'missing tag </b>'],
    [null, 'Hallo {{nme}}', undefined],
    [items, '{{count}} von {{name}}', 'few'],
    [items, 'ein Ding von {{name}}', 'one'],
    [items, 'Dinge von {{name}}', 'few', 'missing interpolation {{count}}'],
    [{ ordinal: { other: '{{count}}th' } }, 'ten', 'ordinal_other', 'missing interpolation {{count}}'],
    ['x', '{n, plural, one {a} other {b}}', undefined, 'icu plural'],
    ['x', 'half \ud800', undefined, 'unstorable'],
    ['x', 'x'.repeat(100_001), undefined, 'long 100000'],
  ]
  for (const [source, text, form, ...told] of rows) {
    const checks = faultsOf({ source, sourceLanguage: 'en', text, language: 'pl', form })
    t.strictSame(checks.map(short), told, text.slice(0, 40))
  }
})

t.test('refused is what no push could bring; placeholders are the translator’s affair', async t => {
  const checks = faultsOf({ source: 'a {{b}}', sourceLanguage: 'en', text: '{n, plural, other {b}}', language: 'de' })
  t.strictSame(
    checks.map(check => [check.is, isRefused(check)]),
    [
      ['icu', true],
      ['missing', false],
    ],
  )
})

t.test('needs about twice the time for twice the placeholders, as each key press runs it', async t => {
  const textOf = (count: number) => Array.from({ length: count }, (_, at) => `{{n${at}}}`).join('')
  const costOf = (count: number) => {
    const source = textOf(count)
    return cost(() => faultsOf({ source, sourceLanguage: 'en', text: `${source}{{more}}`, language: 'ar' }))
  }
  // V8 may compile the code between two of them; quadratic growth shows in all.
  const growths = Array.from({ length: 4 }, () => costOf(8000) / costOf(2000))
  t.ok(Math.min(...growths) < 10, `four times as many: ${growths.map(growth => growth.toFixed(1)).join(', ')} times`)
  t.equal(chipsOf(textOf(8000)).length, MOST_CHIPS, 'and not all of them are offered')
})
