/** docs/cli.md names each command, and no option that is not there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { COMMANDS } from '../../src/cli/commands.ts'
import { GLOBALS, nameOf } from '../../src/cli/program.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
/** Without what is said of other commands. */
const [own = '', others = ''] = text.split(/^## Coming from another command$/m)

const codes = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code)
const longOf = (flags: string) => /--[a-z-]+/.exec(flags)![0]

t.test('the table of commands is that of the program', async t => {
  const [, section = ''] = /^## Commands$([\s\S]*?)^##/m.exec(text)!
  const rows = [...section.matchAll(/^\| `([^|]+)` \| ([^|]+) \|$/gm)]
  t.strictSame(
    rows.map(([, usage, summary]) => ({ usage, summary })),
    COMMANDS.map(({ usage, summary }) => ({ usage, summary })),
  )
  for (const { flags } of GLOBALS) t.ok(section.includes(`\`${flags}\``), `${flags} of all commands`)
})

t.test('what is named elsewhere in the guide is there too', async t => {
  const names = COMMANDS.map(nameOf)
  const groups = names.map(name => name.split(' ')[0]!)
  const flags = new Set([
    ...[...GLOBALS, ...COMMANDS.flatMap(({ options = [] }) => options)].map(({ flags }) => longOf(flags)),
    '--help',
    '--version',
  ])
  const [before, ...after] = own.split(/^```\w*$/m).filter((_, at) => at % 2 === 0)
  for (const prose of [before!, ...after]) {
    for (const code of codes(prose).filter(code => !code.includes('sha256sum'))) {
      for (const [flag] of code.matchAll(/(?<![\w-])--[a-z-]+/g)) t.ok(flags.has(flag), `${flag} in \`${code}\``)
      const [, name] = /^parlance ([a-z]+)/.exec(code) ?? []
      if (name !== undefined) t.ok(groups.includes(name), `\`${code}\``)
    }
  }
  for (const code of codes(others)) {
    const [, name] = /^parlance ([a-z]+)/.exec(code) ?? []
    if (name === undefined) continue
    t.ok(groups.includes(name), `\`${code}\``)
    for (const [flag] of code.matchAll(/(?<![\w-])--[a-z-]+/g)) t.ok(flags.has(flag), `\`${code}\``)
  }
  t.ok(others.length > 0)
})
