/** Parses command lines, and reports mistyped words. */
import type { CommandRow, Level, Option, OptionRow, Program } from './command-table.ts'
import { nearest } from './nearest.ts'
import { HELP, optionOf, readOptions, see } from './options.ts'
import { type Problem, usage } from './problem.ts'
import type { Globals } from './surroundings.ts'

/** Starts a parsed command. `globals` are its common options. */
export type Start = (
  row: CommandRow,
  globals: Globals,
  options: Record<string, unknown>,
  operands: string[],
) => Promise<void>

/** The common options of commands that talk with a server. */
export const GLOBALS: OptionRow[] = [
  { flags: '--url <address>', about: 'the server, in place of PARLANCE_URL and the config' },
  { flags: '--project <slug>', about: 'the project, in place of PARLANCE_PROJECT and the config' },
  { flags: '-C, --cwd <folder>', about: 'run as if started in this folder' },
  { flags: '--json', about: 'print one JSON document; errors are { "error": … }' },
  { flags: '--print-config', about: 'print every setting and where it comes from, and do nothing else' },
]

/** The words of a row without its operands: `release create`. */
export const nameOf = ({ usage }: Pick<CommandRow, 'usage'>): string => usage.replace(/ [<[].*$/, '')

/** The levels of a table. */
export function levelsOf(program: Program): Level {
  const root = levelOf('parlance', program.description, undefined, [
    optionOf({ flags: '-V, --version', about: 'print the version' }),
    ...GLOBALS.map(optionOf),
  ])
  for (const row of program.rows) {
    const words = nameOf(row).split(' ')
    let level = root
    for (const [at, word] of words.entries()) {
      const path = `${level.path} ${word}`
      const isLast = at === words.length - 1
      const next = isLast
        ? levelOf(path, row.summary, row, [...(row.options ?? []), ...program.common(row)].map(optionOf))
        : levelOf(path, program.groups[words.slice(0, at + 1).join(' ')] ?? '', undefined, [])
      const below = level.below.get(word) ?? next
      level.below.set(word, below)
      level = below
    }
  }
  return root
}

function levelOf(path: string, summary: string, row: CommandRow | undefined, options: Option[]): Level {
  return { path, summary, row, below: new Map(), options: [...options, HELP] }
}

/** The level of some words, and the words after it. */
export function leadTo(root: Level, words: readonly string[]): { level: Level; left: string[] } {
  let level = root
  for (const [at, word] of words.entries()) {
    const below = level.below.get(word)
    if (!below) return { level, left: words.slice(at) }
    level = below
  }
  return { level, left: [] }
}

/** `--print-config` without a command. */
const PRINT_CONFIG: CommandRow = {
  usage: 'config',
  summary: '',
  example: '',
  load: async () => (await import('./config/print.ts')).run,
}

/**
 * Parses the command line and starts its command, or prints help or the version.
 * @throws Problem (exit 2) with the wrong word
 */
export async function parse(words: string[], program: Program, start: Start): Promise<void> {
  const root = levelsOf(program)
  const help = async (level: Level) => program.out((await import('./help.ts')).helpOf(level, program))
  const early = readOptions(root, words, true)
  if (early.values.help) return help(root)
  if (early.values.version) return program.out(`${program.version()}\n`)
  const [first] = early.operands
  if (first === undefined) return early.values.printConfig ? start(PRINT_CONFIG, early.values, {}, []) : help(root)
  if (first === 'help') {
    const { level, left } = leadTo(root, early.operands.slice(1))
    if (left.length > 0) throw unknown(level, left, root, program)
    return help(level)
  }
  const { level, left } = leadTo(root, early.operands)
  const { row } = level
  const { values, operands } = readOptions(level, left, row === undefined)
  if (values.help) return help(level)
  if (row === undefined) throw operands.length > 0 ? unknown(level, operands.slice(0, 1), root, program) : which(level)
  const operandNames = row.usage.match(/[<[][^<>[\]]*[>\]]/g) ?? []
  const lacking = operandNames[operands.length]
  if (lacking?.startsWith('<')) throw usage(`${level.path} needs ${lacking}.${see(level)}`)
  if (operands.length > operandNames.length && !operandNames.at(-1)?.includes('...'))
    throw unknown(level, operands.slice(operandNames.length), root, program)
  const shared = new Set(program.common(row).map(one => optionOf(one).name))
  const misplaced = root.options.find(({ name }) => name in early.values && !shared.has(name))
  if (misplaced) throw usage(`${level.path} has no ${misplaced.long}.${see(level)}`)
  const all = Object.entries({ ...early.values, ...values })
  const globals = Object.fromEntries(all.filter(([name]) => shared.has(name)))
  await start(row, globals, Object.fromEntries(all.filter(([name]) => !shared.has(name))), operands)
}

const which = (level: Level): Problem => usage(`Which command? ${[...level.below.keys()].join(', ')}.${see(level)}`)

function unknown(level: Level, words: string[], root: Level, { elsewhere = {} }: Program): Problem {
  const [word = ''] = words
  if (level === root && Object.hasOwn(elsewhere, word)) return usage(elsewhere[word]!)
  const typed = [...level.path.split(' ').slice(1), ...words].join(' ')
  const operand = level.row ? `; ${level.path} has no operand "${words.join(' ')}"` : ''
  const meant = nearest(word, [...level.below.keys()]) ?? (level === root ? nested(root, word) : undefined)
  return usage(`There is no such command: ${typed}${operand}.${meant ? ` Did you mean ${meant}?` : ''}${see(level)}`)
}

/** The path of a word of a group: `verify` is `parlance server verify`. */
const nested = (root: Level, word: string): string | undefined =>
  [...root.below.values()].find(({ below }) => below.has(word))?.below.get(word)?.path
