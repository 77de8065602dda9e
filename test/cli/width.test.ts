/** Columns of a terminal, which are not characters: what is aligned stays so with CJK, emoji and combining marks. */
import t from 'tap'
import { showChanges } from '../../src/cli/terminal/changes.ts'
import { inColumns } from '../../src/cli/terminal/table.ts'
import { cut, padded, widthOf } from '../../src/cli/terminal/width.ts'

/** Texts and their columns, which `length` does not give. */
const WIDTHS: [text: string, columns: number, what: string][] = [
  ['', 0, 'nothing'],
  ['Save', 4, 'Latin'],
  ['Größe', 5, 'composed letters'],
  ['e\u0301', 1, 'a combining mark'],
  ['保存', 4, 'Chinese'],
  ['ファイル', 8, 'Japanese'],
  ['ｱ', 1, 'halfwidth kana'],
  ['저장', 4, 'Korean'],
  ['ＡＢ', 4, 'fullwidth letters'],
  ['حفظ', 3, 'Arabic'],
  ['\u{20000}', 2, 'Chinese beyond the first plane'],
  ['👍', 2, 'an emoji'],
  ['👍🏽', 2, 'one with a colour of skin'],
  ['👨‍👩‍👧', 2, 'several joined to one'],
  ['🇯🇵', 2, 'a flag'],
  ['\x1b[31mred\x1b[39m', 3, 'colours'],
]

t.test('columns of a text', async t => {
  for (const [text, columns, what] of WIDTHS) {
    t.equal(widthOf(text), columns, what)
    t.equal(padded(text, 10), text + ' '.repeat(10 - columns), `${what}, padded`)
  }
})

t.test('what is too wide is cut at a grapheme, never wider than it may be', async t => {
  const rows: [text: string, width: number, shown: string][] = [
    ['保存する', 8, '保存する'],
    ['保存する', 7, '保存す…'],
    ['保存する', 6, '保存…'],
    ['ab👨‍👩‍👧cd', 5, 'ab👨‍👩‍👧…'],
    ['ab👨‍👩‍👧cd', 4, 'ab…'],
    ['cafe\u0301s', 5, 'cafe\u0301s'],
    ['cafe\u0301 au lait', 5, 'cafe\u0301…'],
  ]
  for (const [text, width, shown] of rows) {
    t.equal(cut(text, width), shown, `${text} in ${width}`)
    t.ok(widthOf(cut(text, width)) <= width)
  }
})

t.test('the second column begins at one place in all rows', async t => {
  const rows = WIDTHS.filter(([text]) => text !== '').map(([text]) => [text, '|'])
  const lines = inColumns(['KEY', '|'], rows).split('\n')
  for (const line of lines) t.equal(widthOf(line.slice(0, line.indexOf('|'))), 10, line)

  const change = { language: 'ja', namespace: 'common', before: null, after: '保存' }
  const keys = ['a', '保存', '👍', 'e\u0301']
  const [, ...shown] = showChanges(
    keys.map(key => ({ ...change, key })),
    (_, text) => text,
  ).split('\n')
  for (const line of shown) t.equal(widthOf(line.slice(0, line.lastIndexOf('保存'))), 10, line)
})
