/** How words become commands, options and operands, and what is said of those that do not. */
import t from 'tap'
import type { Program } from '../../src/cli/command-table.ts'
import { complete } from '../../src/cli/completion.ts'
import { parse } from '../../src/cli/program.ts'

const program: Program = {
  description: 'A program.',
  groups: { fruit: 'apples and pears', 'fruit basket': 'many of them' },
  elsewhere: { serve: 'That is another program.' },
  common: () => [{ flags: '--json', about: 'print JSON' }],
  version: () => '1.2.3',
  out: text => void (printed += text),
  rows: [
    {
      usage: 'pick <kind> [more...]',
      summary: 'take fruit',
      options: [
        { flags: '-n, --dry-run', about: 'take none' },
        { flags: '-o, --output <file>', about: 'where to', default: 'bag' },
        { flags: '--colour <name...>', about: 'only these', choices: ['red', 'green'] },
        { flags: '--no-wash', about: 'as it is' },
      ],
      example: 'parlance pick apples',
      load: async () => async () => {},
    },
    {
      usage: 'fruit basket fill',
      summary: 'fill it',
      options: [{ flags: '--by <who>', about: 'by whom', needed: true }],
      example: 'parlance fruit basket fill --by ann',
      load: async () => async () => {},
    },
  ],
}

let printed = ''
/** The parsed form of a line. */
async function read(line: string) {
  printed = ''
  let started: object | undefined
  const start: Parameters<typeof parse>[2] = async (row, globals, options, operands) => {
    started = { usage: row.usage, globals, options, operands }
  }
  await parse(line.split(' ').filter(Boolean), program, start)
  return started ?? printed
}

t.test('accepts options anywhere behind the words of a command, in each form', async t => {
  const base = { usage: 'pick <kind> [more...]', globals: {}, operands: ['apples'] }
  const rows: [string, object][] = [
    ['pick apples', { options: { output: 'bag', wash: true } }],
    ['pick -n apples --output=x --no-wash', { options: { dryRun: true, output: 'x', wash: false } }],
    ['pick -nobox apples', { options: { dryRun: true, output: 'box', wash: true } }],
    ['pick -o -n apples', { options: { output: '-n', wash: true } }],
    [
      'pick apples --colour red green --colour red',
      { options: { colour: ['red', 'green', 'red'], output: 'bag', wash: true } },
    ],
    ['--json pick apples', { globals: { json: true }, options: { output: 'bag', wash: true } }],
    ['pick apples --json -- --no-wash -', { globals: { json: true }, operands: ['apples', '--no-wash', '-'] }],
  ]
  for (const [line, found] of rows) t.match(await read(line), { ...base, ...found }, line)
  t.match(await read('fruit basket fill --by ann'), { options: { by: 'ann' }, operands: [] })
})

t.test('what is wrong is named, with what was meant', async t => {
  const rows: [string, RegExp][] = [
    ['pikc', /^There is no such command: pikc\. Did you mean pick\? See parlance --help\.$/],
    ['fill', /Did you mean parlance fruit basket fill\?|See parlance --help/],
    ['fruit', /^Which command\? basket\. See parlance fruit --help\.$/],
    ['fruit basket fell', /^There is no such command: fruit basket fell\. Did you mean fill\?/],
    ['fruit basket fill now --by ann', /: fruit basket fill now; parlance fruit basket fill has no operand "now"\./],
    ['fruit basket fill', /^Required option '--by <who>' not specified\. See parlance fruit basket fill --help\.$/],
    ['pick', /^parlance pick needs <kind>\./],
    ['pick a --dry', /^There is no such option: --dry\. Did you mean --dry-run\?/],
    ['pick a -x', /^There is no such option: -x\. See/],
    ['pick a --json=1', /^--json has no value\./],
    ['--colour red pick a', /no such option: --colour\. Options come after the command\./],
    ['pick a -o', /^Option '-o, --output <file>' argument missing\./],
    ['pick a --colour red blue', /^--colour must be red or green, not "blue"\./],
    ['help nothing', /no such command: nothing/],
    ['serve', /^That is another program\.$/],
  ]
  for (const [line, message] of rows) await t.rejects(read(line), { message, exit: 2 }, line)
})

t.test('help of each level, and the version', async t => {
  t.equal(await read('-V'), '1.2.3\n')
  for (const line of ['', '--help', 'help'])
    t.match(await read(line), /^Usage: parlance <command> \[options\]\n\nA program\./)
  for (const line of ['fruit -h', 'help fruit']) {
    t.match(
      await read(line),
      /^Usage: parlance fruit \[options\] \[command\]\n\nApples and pears\.[\s\S]* {2}basket \[command\] {2}many/,
    )
  }
  t.match(
    await read('pick --colour red --help x'),
    /\n {2}-o, --output <file> +where to \(default: "bag"\)\n[\s\S]*\(choices: "red", "green"\)/,
  )
})

t.test('what a TAB offers', t => {
  const offered = (...words: string[]) => {
    printed = ''
    complete(program, words)
    return printed.split('\n').flatMap(line => line.split('\t')[0] || [])
  }
  t.strictSame(offered(''), ['pick', 'fruit'])
  t.strictSame(offered('fruit', ' '), ['basket'])
  t.strictSame(offered('fruit', 'basket', 'fill', '--b'), ['--by'])
  t.strictSame(offered('pick', '--colour', 'r'), ['red'])
  t.strictSame(offered('pick', '-o', ''), [])
  t.end()
})
