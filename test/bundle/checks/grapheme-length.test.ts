/** The length of texts as readers see it. */
import t from 'tap'
import { graphemeLength } from '../../../src/bundle/checks/grapheme-length.ts'
import { maximaIn } from '../../../src/bundle/checks/maxima-in.ts'
import { problemsOf } from '../../../src/bundle/checks/problems-of.ts'
import { partsOf } from '../../../src/bundle/message.ts'
import { INTERPOLATION } from '../../../src/bundle/placeholders.ts'
import { factsOf, rulesOf } from '../../../src/bundle/status.ts'

t.test('counts grapheme clusters', async t => {
  const cases: [text: string, length: number, name: string][] = [
    ['', 0, 'nothing'],
    ['Pay now', 7, 'ASCII'],
    ['Übergröße', 9, 'composed letters'],
    ['U\u0308bergro\u0308\u00dfe', 9, 'combining marks'],
    ['e\u0301\u0323\u0302', 1, 'several marks'],
    ['\u0301', 1, 'a mark alone'],
    ['Donau\u00addampf\u200bschiff', 16, 'a soft hyphen, and a zero-width space'],
    ['\u200f\u05e9\u05dc\u05d5\u05dd\u200f \u2067x\u2069', 6, 'direction marks and isolates'],
    ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', 7, 'a joiner in a Persian word'],
    ['\ufeff\u2060', 0, 'nothing that is seen'],
    ['Q&amp;A &#8212; &#x2014;&nbsp;x', 9, 'entities'],
    ['Dampf&shy;schiff&rlm;', 11, 'entities without a glyph'],
    ['AT&T; R&D & x;', 14, 'ampersands'],
    ['👍🏽', 1, 'a skin tone'],
    ['👨‍👩‍👧‍👦', 1, 'a family'],
    ['❤️', 1, 'a variation selector'],
    ['🇩🇪🇫🇷', 2, 'flags'],
    ['🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}', 1, 'a flag of tags'],
    ['한국어', 3, 'Hangul syllables'],
    ['\u1112\u1161\u11ab', 1, 'Hangul jamo'],
    ['\uac00\u11a8', 1, 'a syllable with a final'],
    ['日本語です。', 6, 'Han and Kana'],
    ['か\u3099', 1, 'a voicing mark'],
    ['नमस्ते', 3, 'Devanagari'],
    ['กำ', 1, 'Thai'],
    ['مرحبا', 5, 'Arabic'],
    ['a\r\nb', 3, 'CRLF'],
    ['a\n\rb', 4, 'LF and CR'],
  ]
  for (const [text, length, name] of cases) t.equal(graphemeLength(text, INTERPOLATION), length, name)
})

t.test('leaves placeholders out', async t => {
  const own = { prefix: '__', suffix: '__' }
  const cases: [text: string, length: number, interpolation?: typeof own][] = [
    ['Hi {{name}}!', 4],
    ['{{- name, uppercase}}', 0],
    ['<b>Hi</b> <1/><br>you', 6],
    ['<a href="{{url}}">Go</a>', 2],
    ['See $t(help, { "count": 2 }).', 5],
    ['1 < 2', 5],
    ['Type <name> here', 16],
    ['x $t(item, {"count": {{n}} }) y', 4],
    ['e{{x}}\u0301', 2],
    ['{{count}} 👍🏽', 2],
    ['Hi __name__ {{x}}', 9, own],
    ['{{open', 6],
  ]
  for (const [text, length, interpolation] of cases) {
    t.equal(graphemeLength(text, interpolation ?? INTERPOLATION), length, text)
  }
})

t.test('is a problem of each form that is longer than the maximum', async t => {
  const [source, target] = [
    { cardinal: { one: '{{count}} item', other: '{{count}} items' } },
    { cardinal: { one: '{{count}} Stück', other: '{{count}} Stücke 👍🏽' } },
  ].map(message => factsOf(partsOf(message)))
  const check = (max: number | undefined, checks = {}) =>
    problemsOf(source!, target!, rulesOf('en', 'de', { checks }), max)
  const found = { kind: 'length', missing: [], extra: [], max: 6 }
  t.strictSame(check(6), [{ form: 'other', ...found, length: 9 }])
  t.strictSame(check(9), [])
  t.strictSame(check(undefined), [])
  t.strictSame(check(6, { length: 'off' }), [])
  const texts = ['S', 'Bezahlen'].map(text => factsOf(partsOf(text)))
  t.strictSame(problemsOf(texts[0]!, texts[1]!, rulesOf('en', 'de'), 6), [{ ...found, length: 8 }])
  t.strictSame(problemsOf(texts[1]!, texts[0]!, rulesOf('en', 'de'), 6), [], 'a long source')
})

t.test('reads maxima of notes', async t => {
  const file = '{"a":{"max":3},"b":{"note":"x"},"__proto__":{"max":4},"c":{"max":"wide"},"d":{"max":0},"e":7}'
  t.strictSame(
    [...maximaIn(Buffer.from(file))],
    [
      ['a', 3],
      ['__proto__', 4],
    ],
  )
  t.strictSame([...maximaIn(Buffer.from('{'))], [])
  t.strictSame([...maximaIn(null)], [])
})
