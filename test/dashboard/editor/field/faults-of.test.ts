/** The faults of a text while it is typed: the server's problems of one form, and its refusals. */
import t from 'tap'
import type { Message } from '../../../../src/bundle/message.ts'
import { faultsOf, isRefused, type TextFault } from '../../../../src/dashboard/editor/field/faults-of.ts'
import { chipsOf, MOST_CHIPS } from '../../../../src/dashboard/editor/model/leaves.ts'
import { cost } from '../../../processor-time.ts'

const items = { cardinal: { one: '{{count}} item of {{name}}', other: '{{count}} items of {{name}}' } }
const short = (check: TextFault) =>
  'what' in check ? `${check.is} ${check.kind} ${check.what.join(' ')}` : Object.values(check).join(' ')

t.test('lists the faults of a text', async t => {
  const rows: [source: Message | undefined, text: string, ending: string, ...told: string[]][] = [
    ['Hi {{name}}', 'Hallo {{name}}', ''],
    ['Hi {{name}}', '', ''],
    ['Hi {{name}}', 'Hallo {{nme}}', '', 'missing interpolation {{name}}', 'extra interpolation {{nme}}'],
    ['<b>Hi</b>', '<b>Hallo', '', 'missing tag </b>'],
    [undefined, 'Hallo {{nme}}', ''],
    [items, '{{count}} von {{name}}', '_few'],
    [items, 'ein Ding von {{name}}', '_one'],
    [items, 'Dinge von {{name}}', '_few', 'missing interpolation {{count}}'],
    [{ ordinal: { other: '{{count}}th' } }, 'ten', '_ordinal_other', 'missing interpolation {{count}}'],
    ['x', '{n, plural, one {a} other {b}}', '', 'icu plural'],
    ['x', 'half \ud800', '', 'unstorable'],
    ['x', 'x'.repeat(100_001), '', 'long 100000'],
  ]
  for (const [source, text, ending, ...told] of rows) {
    const checks = faultsOf({ source, text, language: 'pl', ending }, { source: 'en' })
    t.strictSame(checks.map(short), told, text.slice(0, 40))
  }
})

t.test('refused is what no push could bring; placeholders are the translator’s affair', async t => {
  const text = { text: '{n, plural, other {b}}', ending: '' }
  const checks = faultsOf({ ...text, source: 'a {{b}}', language: 'de' }, { source: 'en' })
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
    const checked = { source, text: `${source}{{more}}`, language: 'ar', ending: '' }
    return cost(() => faultsOf(checked, { source: 'en' }))
  }
  // V8 may compile the code between two of them; quadratic growth shows in all.
  const growths = Array.from({ length: 4 }, () => costOf(8000) / costOf(2000))
  t.ok(Math.min(...growths) < 10, `four times as many: ${growths.map(growth => growth.toFixed(1)).join(', ')} times`)
  t.equal(chipsOf(textOf(8000)).length, MOST_CHIPS, 'and not all of them are offered')
})
