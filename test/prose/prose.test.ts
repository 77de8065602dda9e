import t from 'tap'
import { proseOf as proseOfCode } from './code.ts'
import { longLines, proseOf as proseOfMarkdown } from './markdown.ts'
import { checkPassage } from './rules.ts'

const messages = (text: string) => checkPassage({ line: 1, text }).map(({ message }) => message)

t.test('names an avoided word and what to write', async t => {
  t.match(messages('The server tells each client.'), [/"tells": write report/])
  t.match(messages('A token belongs to nobody.'), [/"nobody": write the caller/])
})

t.test('accepts avoided words in code and in quotations', async t => {
  t.strictSame(messages('The option `keep` holds the message "taken".'), [])
})

t.test('counts the words of a sentence, not those of a paragraph', async t => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')
  t.strictSame(messages(`${words(25)}. ${words(25)}.`), [])
  t.match(messages(`${words(26)}.`), [/a sentence of 26 words/])
})

t.test('reads comments, strings of four words and titles, each with its line', async t => {
  const text = [
    '/**',
    ' * First.',
    ' *',
    ' * Second',
    ' * goes on.',
    ' * @param name is a name',
    ' */',
    'export const a = 1 // Third.',
    '// Fourth',
    '// goes on.',
    "const b = 'not a sentence'",
    `const c = \`the value of $\{a} is odd\``,
    '',
  ].join('\n')
  const found = proseOfCode('a.ts', text).sort((a, b) => a.line - b.line)
  t.strictSame(
    found.map(({ line, text }) => [line, text.trim()]),
    [
      [2, 'First.'],
      [4, 'Second goes on.'],
      [6, 'is a name'],
      [8, 'Third.'],
      [9, 'Fourth goes on.'],
      [12, 'the value of X is odd'],
    ],
  )
})

t.test('reads paragraphs, items and cells of a document, but no code', async t => {
  const text = ['# Title', '', 'One', 'two.', '- item', '', '| a | b |', '```', 'code here', '```', 'End.'].join('\n')
  t.strictSame(
    proseOfMarkdown(text).map(({ line, text }) => [line, text]),
    [
      [1, '# Title'],
      [3, 'One two.'],
      [5, '- item'],
      [7, 'a'],
      [7, 'b'],
      [11, 'End.'],
    ],
  )
})

t.test('names long lines of prose, but not those of tables and code', async t => {
  const long = 'word '.repeat(30)
  t.strictSame(longLines([long, `| ${long}`, '```', long, '```'].join('\n'), 120), [1])
})
