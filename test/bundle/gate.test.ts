/** The gate: what a machine's translation must not have, form by form. */
import fc from 'fast-check'
import t from 'tap'
import { gateFaults } from '../../src/bundle/gate/gate-faults.ts'
import { gateSentence } from '../../src/bundle/gate/gate-sentence.ts'
import { messageFrom, wantedLeaves } from '../../src/bundle/gate/wanted-leaves.ts'
import type { Message } from '../../src/bundle/message.ts'
import { rulesOf, type TextRules } from '../../src/bundle/status.ts'

const sentence = (source: Message, target: Message, language = 'de', rules: TextRules = {}, max?: number) =>
  gateSentence(gateFaults(source, target, rulesOf('en', language, rules), max))

const ITEMS = { cardinal: { one: '{{count}} item', other: '{{count}} items' } }
const polish = (more: object = {}) => ({
  cardinal: {
    ...{
      one: '{{count}} produkt',
      few: '{{count}} produkty',
      many: '{{count}} produktów',
      other: '{{count}} produktu',
    },
    ...more,
  },
})

t.test('passes translations that fit', async t => {
  for (const [source, target, language] of [
    ['Save', 'Speichern'],
    ['Hello {{name}}', 'Hallo {{name}}'],
    ['<1>Pay</1> {{total, currency}} now<br/>', '<br/>Jetzt {{total, currency}} <1>zahlen</1>'],
    ['See $t(cart, {"count": {{n}}})', 'Siehe $t(cart, {"count": {{n}}})'],
    ['Use <name> here', 'Hier <Name> verwenden'],
    ['Write <key=value> if a<b', 'Wenn a<b, dann <Schlüssel=Wert>'],
    ['Terms&nbsp;&amp; more', 'AGB &amp; mehr'],
    ['AT&T; <3', 'AT&T; <3'],
    ['Type {{ or $t(', '$t( oder {{ tippen'],
    ['Family', '👨\u200d👩'],
    [ITEMS, polish(), 'pl'],
    [{ cardinal: { one: 'One item', other: '{{count}} items' } }, polish(), 'pl'],
    [{ cardinal: { one: 'One item', other: '{{count}} items' } }, { cardinal: { other: '{{count}}個' } }, 'ja'],
    [
      { cardinal: { zero: 'None', ...ITEMS.cardinal } },
      { cardinal: { zero: 'Keine', one: '{{count}} Ding', other: '{{count}} Dinge' } },
    ],
    [
      { ordinal: { one: '{{count}}st', two: '{{count}}nd', few: '{{count}}rd', other: '{{count}}th' } },
      { ordinal: { other: '{{count}}.' } },
    ],
  ] as [Message, Message, string?][]) {
    t.equal(sentence(source, target, language), '', JSON.stringify(target))
  }
})

t.test('names what is wrong', async t => {
  for (const [source, target, words, language] of [
    ['Hello {{name}}', 'Hallo', 'the text lacks {{name}}.'],
    ['Hello {{name}}', 'Hallo {{Name}}', 'the text lacks {{name}} and adds {{Name}}.'],
    ['Hello {{name}}', '{{name}}, hallo {{name}}', 'the text repeats {{name}}.'],
    ['{{count}} left', '{{ count }} übrig', 'the text changes {{ count }}.'],
    ['Save', 'Los <script>x</script>', 'the text adds <script>, </script>.'],
    ['Save', '<embed src=x>', 'the text adds <embed src=x>.'],
    ['Use <name>', '<link rel=x>', 'the text adds <link rel=x>.'],
    ['Use <name>', '<a-b/>', 'the text adds <a-b/>.'],
    ['Use <name>', '<Vor> <Nach>', 'the text adds <Vor>, <Nach>.'],
    ['<b>Save</b>', '<img src=x onerror=y//<b>Los</b>', 'the text adds <img src=x onerror=y//.'],
    ['Save', 'Los <!-- x -->', 'the text adds <!-- x -->.'],
    ["Don't", 'Do&#39;t &amp; &hellip;', 'the text adds &#39;, &amp;, &hellip;.'],
    ['{{total, currency}}', '{{total, Währung}}', 'the text changes {{total, Währung}}.'],
    ['See $t(cart)', 'Siehe $t(korb)', 'the text lacks $t(cart) and adds $t(korb).'],
    [
      'See $t(cart, {"count": {{n}}})',
      'Siehe $t(cart, {"zahl": {{n}}})',
      'the text changes $t(cart, {"zahl": {{n}}}).',
    ],
    ['<1>Pay</1> now', 'Jetzt <1>zahlen', 'the text lacks </1>; the text has tags that do not nest.'],
    ['<b><i>x</i></b>', '<b><i>x</b></i>', 'the text has tags that do not nest.'],
    ['<a href="/x">Go</a>', '<a href="/y">Los</a>', 'the text changes <a href="/y">.'],
    ['Save', ' ', 'the text is empty.'],
    ...[...'\u00ad\u034f\u115f\u200b\u200d\u2060\u2800\u3164\ufe0f\uffa0'].map(invisible => [
      ...['Save', ` ${invisible}\n${invisible}`, /^the text is empty/, 'ja'],
    ]),
    ['Save', 'Los {{', 'the text adds {{.'],
    ['Save', 'Los {{ }}', 'the text adds {{, }}.'],
    ['Use <name>', 'Los <Name> }}', 'the text adds }}.'],
    ['{{name}}', '{{name}} {{name', 'the text adds {{.'],
    ['Save', 'Los $t(', 'the text adds $t(.'],
    ['Save', 'Los $t(a(b))', 'the text adds $t(.'],
    ['Save', 'a\0', 'the text has a text with U+0000 or a lone surrogate.'],
    ['Save', { cardinal: { one: 'x', other: 'y' } }, /^the text is missing; the form one is not wanted/],
    [
      ITEMS,
      { cardinal: { one: '{{count}} a', other: '{{count}} b' } },
      'the form few is missing; the form many is missing.',
      'pl',
    ],
    [ITEMS, polish({ two: '{{count}} x' }), 'the form two is not wanted.', 'pl'],
    [ITEMS, polish({ few: 'produkty' }), 'the form few lacks {{count}}.', 'pl'],
    [ITEMS, polish({ few: '' }), /the form few is empty\.$/, 'pl'],
  ] as [Message, Message, string | RegExp, string?][]) {
    const said = sentence(source, target, language)
    if (typeof words === 'string') t.equal(said, words)
    else t.match(said, words)
  }
})

t.test('applies the maximum of the note, and the checks that the project refuses', async t => {
  t.equal(sentence('Save', 'Speichern', 'de', {}, 5), 'the text has 9 characters, and at most 5 fit.')
  t.equal(sentence('Save', 'Speichern', 'de', {}, 9), '')
  t.equal(sentence('Save', 'Speichern ', 'de'), '', 'a warning is no refusal')
  const refusing = { checks: { space: 'refuse' } } as const
  t.match(sentence('Save', 'Speichern ', 'de', refusing), 'white space')
  const off = { checks: { interpolation: 'off', tag: 'off', nesting: 'off', length: 'off' } } as const
  t.match(sentence('{{a}} <1>b</1> $t(c)', 'x', 'de', off, 0), /lacks {{a}}.*\$t\(c\).*<\/1>.*at most 0/)
})

t.test('knows other signs of interpolation', async t => {
  const rules = { interpolation: { prefix: '__', suffix: '__' } }
  t.equal(sentence('Hello __name__', 'Hallo __name__', 'de', rules), '')
  t.equal(sentence('Hello __name__', 'Hallo', 'de', rules), 'the text lacks __name__.')
  t.equal(sentence('__a__', '__a__ __a__', 'de', rules), 'the text repeats __a__.')
  t.equal(sentence('Save', 'Los __ {{', 'de', rules), 'the text adds __.')
})

t.test('names at most ten faults', async t => {
  const one = Object.fromEntries(['zero', 'one', 'two', 'few', 'many', 'other'].map(form => [form, '{{a}}{{a}}{{b}}']))
  const faults = gateFaults('x', { cardinal: one, ordinal: one } as Message, rulesOf('en', 'ar'))
  t.equal(faults.length, 10)
})

t.test('wants the forms of the language, with example numbers', async t => {
  const wanted = (source: Message, language: string) =>
    wantedLeaves(source, rulesOf('en', language)).map(({ name, source, examples }) => [name, source, examples])
  t.strictSame(wanted('Save', 'pl'), [['text', 'Save', []]])
  t.strictSame(wanted({ cardinal: { one: 'One item', other: '{{count}} items' } }, 'pl'), [
    ['one', 'One item', [1]],
    ['few', '{{count}} items', [2, 3, 4, 22]],
    ['many', '{{count}} items', [0, 5, 6, 7]],
    ['other', '{{count}} items', [1.5]],
  ])
  const russian = wanted({ cardinal: { one: 'One item', other: '{{count}} items' } }, 'ru')
  t.strictSame(russian[0], ['one', '{{count}} items', [1, 21, 31, 41]], 'of several numbers, so that it says which')
  t.strictSame(
    wanted({ cardinal: { zero: 'None', one: 'One', other: '{{count}}' } }, 'de').map(([name]) => name),
    ['zero', 'one', 'other'],
  )
  t.strictSame(
    wanted({ ordinal: { one: '{{count}}st', two: '{{count}}nd', few: '{{count}}rd', other: '{{count}}th' } }, 'de'),
    [['ordinal_other', '{{count}}th', [0, 1, 2, 3]]],
  )
  const gender = { cardinal: { other: 'They came' } } as const
  t.strictSame(wanted(gender, 'pl'), [['other', 'They came', []]], 'a name that ends like a form')
})

t.test('builds messages from texts by name', async t => {
  t.equal(messageFrom(new Map([['text', 'a']])), 'a')
  t.strictSame(
    messageFrom(
      new Map([
        ['ordinal_other', 'c'],
        ['few', 'b'],
        ['text', 'a'],
        ['__proto__', 'x'],
      ]),
    ),
    {
      text: 'a',
      cardinal: { few: 'b' },
      ordinal: { other: 'c' },
    },
  )
})

/** What stands for a placeholder in a text, by a parser of its own. */
const PLACEHOLDER =
  /\$t\((?:[^(){}]|\{\{[^{}]*\}\}|\{[^{}]*(?:\{\{[^{}]*\}\}[^{}]*)*\})*\)|\{\{[^{}]*\}\}|<\/?\w+[^<>]*>/g
const parsed = (text: string) => text.match(PLACEHOLDER) ?? []

const PIECES = [
  '{{name}}',
  '{{- raw}}',
  '{{sum, currency(USD)}}',
  '$t(cart)',
  '$t(x, {"count": {{n}}})',
  '<br/>',
  '<1>in</1>',
  '<b>{{y}}</b>',
]
const FAULTS: ((text: string, at: number) => string)[] = [
  text => text,
  text => text.replaceAll('a', 'ä'),
  (text, at) => dropped(text, at),
  (text, at) => replaced(text, at, one => one + one),
  (text, at) => replaced(text, at, one => one.replace(/\w(?=\W*$)/, 'q')),
  (text, at) => replaced(text, at, one => `${one} {{count}}`),
  (text, at) => replaced(text, at, one => one.toUpperCase()),
]
const dropped = (text: string, at: number) => replaced(text, at, () => '')

function replaced(text: string, at: number, by: (one: string) => string): string {
  const all = parsed(text)
  let index = 0
  return text.replace(PLACEHOLDER, one => (index++ === at % all.length ? by(one) : one))
}

t.test('passes a text just when a parser of its own finds the same placeholders in it', async t => {
  const pieces = fc.shuffledSubarray(PIECES, { minLength: 1 })
  let [passed, refused] = [0, 0]
  const seen = fc.property(pieces, fc.constantFrom(...FAULTS), fc.nat(20), (chosen, fault, at) => {
    const source = chosen.map(piece => `a ${piece} b`).join(' ')
    const target = fault(source, at)
    const isSame = JSON.stringify(parsed(source).sort()) === JSON.stringify(parsed(target).sort())
    const passes = sentence(source, target) === ''
    if (passes) passed++
    else refused++
    t.equal(passes, isSame, `${source} -> ${target}: ${sentence(source, target)}`)
    return passes === isSame
  })
  fc.assert(seen, { numRuns: 500 })
  t.ok(passed > 50 && refused > 50, `${passed} passed, ${refused} were refused`)
})
