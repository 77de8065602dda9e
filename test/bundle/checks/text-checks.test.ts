/** The checks of single texts: what each one finds, what is no fault in a language, and their cost. */
import fc from 'fast-check'
import t from 'tap'
import type { CheckKind } from '../../../src/bundle/checks/check-settings.ts'
import { TEXT_CHECKS } from '../../../src/bundle/checks/problems-of.ts'
import { cost } from '../../processor-time.ts'

const found = (kind: CheckKind, source: string, target: string, language: string): string => {
  const { missing, extra } = new Map(TEXT_CHECKS).get(kind)!(source, target, language) ?? { missing: [], extra: [] }
  return [...missing.map(one => `-${one}`), ...extra.map(one => `+${one}`)].join(' ')
}

type CheckRow = [what: string, language: string, source: string, target: string, found: string]

const SPACE: CheckRow[] = [
  ['nothing', 'de', 'Pay', 'Zahlen', ''],
  ['a space at the end', 'de', 'Pay', 'Zahlen ', '+end'],
  ['a line break at the end', 'de', 'Pay', 'Zahlen\n', '+end'],
  ['a no-break space at the end', 'fr', 'Pay', 'Payer\u00a0', '+end'],
  ['a lacking end', 'de', 'Total: ', 'Summe:', '-end'],
  ['a lacking start', 'de', ' and more', 'und mehr', '-start'],
  ['both ends', 'de', ' a', 'a ', '-start +end'],
  ['a space alone', 'de', 'a', ' ', '+start +end'],
  ['another kind of space', 'fr', 'Total: ', 'Total\u00a0:\u00a0', ''],
  ['more spaces', 'de', 'a ', 'a  ', ''],
  ['a no-break space before a colon', 'fr', 'Total:', 'Total\u00a0:', ''],
  ['Japanese without spaces', 'ja', 'Total: ', '合計：', ''],
  ['Chinese in another spelling of the tag', 'zh-TW', ' and ', '和', ''],
  ['Thai without spaces', 'th', 'Total: ', 'รวม', ''],
  ['Korean, which has spaces', 'ko', 'Total: ', '합계:', '-end'],
  ['Chinese with a space of its own', 'zh', 'Total', '合计 ', '+end'],
  ['an ideographic space', 'ja', 'Total', '合計\u3000', '+end'],
  ['a language that is unknown', 'tlh', 'Total: ', 'Hoch:', '-end'],
]

const CONTROL: CheckRow[] = [
  ['nothing', 'de', 'Pay', 'Zahlen', ''],
  ['a control character', 'vi', 'Copied', '\u001dĐã sao chép', '+U+001D'],
  ['a backspace', 'zh-TW', 'Add', '增加\b', '+U+0008'],
  ['line breaks and tabs', 'de', 'Pay', 'Zah\r\nl\ten', ''],
  ['an invisible space', 'he', 'Import', 'ייבוא\u200b', '+U+200B'],
  ['the same one in the source', 'de', 'Im\u200bport', 'Im\u200bport', ''],
  ['a line break of Thai', 'th', 'Home', 'หน้า\u200bแรก', ''],
  ['a line break of Khmer', 'km', 'Home', 'ទំព័រ\u200bដើម', ''],
  ['a byte order mark', 'de', 'Pay', '\ufeffZahlen', '+U+FEFF'],
  ['a character of a wrong encoding', 'lo', 'north', 'ສ\ufffdງ', '+U+FFFD'],
  ['a line separator', 'de', 'Pay', 'Zah\u2028len', '+U+2028'],
  ['a soft hyphen', 'de', 'Pay', 'Zah\u00adlen', ''],
  ['a word joiner', 'fr', 'Pay', 'a\u2060b', ''],
  ['joiners of Persian and emoji', 'fa', 'Home', 'خانه\u200cها \u{1f468}\u200d\u{1f469}', ''],
  ['marks in Hebrew', 'he', 'Excalidraw+', '\u200fExcalidraw+\u200e', ''],
  ['marks in Persian', 'fa', 'Website', 'وب\u200eسایت', ''],
  ['marks in Azerbaijani of Arabic script', 'az-Arab', 'A', 'A\u200e', ''],
  ['marks beside Arabic in German', 'de', 'Arabic', 'Arabisch (العربية)\u200e', ''],
  ['a stray mark in German', 'de', 'Pay', 'Zahlen\u200e', '+U+200E'],
  ['an isolated part', 'de', '{{name}}', '\u2068{{name}}\u2069', ''],
  ['an isolated part without an end', 'de', '{{name}}', '\u2068{{name}}', '+U+2068'],
  ['an end without a beginning', 'ar', '{{name}}', '{{name}}\u2069', '+U+2069'],
  ['an embedding in Arabic', 'ar', 'a', '\u202aa\u202c', ''],
  ['an embedding without an end in Arabic', 'ar', 'a', '\u202aa', '+U+202A'],
  ['an embedding in German', 'de', 'a', '\u202aa\u202c', '+U+202A +U+202C'],
  ['an override', 'ar', 'a', '\u202ea\u202c', '+U+202E'],
  ['pairs that cross', 'ar', 'a', '\u202a\u2067a\u202c\u2069', '+U+202A +U+202C'],
  ['a beginning with its end in the source', 'de', '\u2068a\u2069', '\u2068a', '+U+2068'],
  ['a part of a text as in the source', 'ar', '\u202ba', '\u202ba', ''],
]

for (const [kind, rows] of [['space', SPACE] as const, ['control', CONTROL] as const]) {
  t.test(`finds faults of ${kind}`, async t => {
    for (const [what, language, source, target, expected] of rows)
      t.equal(found(kind, source, target, language), expected, what)
  })
}

const piece = fc.constantFrom('a', ' ', '\n', '\u3000', '\u200b', '\u200f', '\u202b', '\u202c', '\u2068', '\u2069', 'ا')
const text = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join(''))
const language = fc.constantFrom('de', 'ar', 'ja', 'th')

t.test('finds nothing in a copy of the source', async () => {
  fc.assert(
    fc.property(text, language, (text, language) => TEXT_CHECKS.every(([, check]) => !check(text, text, language))),
  )
})

t.test('takes linear time', async t => {
  const texts = (piece: string, length: number) => [piece, '\u202a\u200b'].map(one => one.repeat(length / one.length))
  for (const piece of ['\u202a', '\u2068\u202c', '\u200b']) {
    const [short, long] = [1000, 32_000].map(length => {
      const [target, source] = texts(piece, length) as [string, string]
      return cost(() => TEXT_CHECKS.map(([, check]) => check(source, target, 'ar')))
    }) as [number, number]
    // 32 times as long, and more for what fits no cache; a quadratic check needs 1,024 times as long.
    t.ok(long < 512 * short, `${JSON.stringify(piece)}: ${short} ${long} ms`)
  }
})
