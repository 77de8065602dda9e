/** From a table of commands to the command line: parsing, help, and sentences for what was mistyped. */
import { Command, type CommanderError, Option } from 'commander'
import type { Run } from './context.ts'
import { Problem, usage } from './problem.ts'
import type { Globals } from './surroundings.ts'

/** An option as a row of the table has it. */
export interface OptionRow {
  /** As commander reads them: `--message <text>`, `-n, --dry-run`; `<…>` takes a value, `<…...>` several. */
  flags: string
  about: string
  choices?: string[]
  needed?: true
  default?: string
}

/** A command. */
export interface Row {
  /** One to three words, then what it takes: `push`, `release create <name>`. */
  usage: string
  /** What it does, for the list of all commands. */
  summary: string
  about?: string
  options?: OptionRow[]
  /** A line that works. */
  example: string
  /** Told at the end of its help. */
  notes?: () => string
  /** Loaded when called: no command waits for what another one needs. */
  load: () => Promise<Run<never>>
}

/** What a program consists of. */
export interface Program {
  description: string
  rows: Row[]
  /** What the words that begin several commands stand for. */
  groups: Record<string, string>
  /** Words that are commands of another program, with what to say to those who try them. */
  elsewhere?: Record<string, string>
  /** What every command has, by the row: `globals` for those of developers. */
  common: (row: Row) => OptionRow[]
  version: () => string
  /** Where help goes. */
  out(text: string): void
}

/** Starts a parsed command; `globals` are those of its options that are no option of its own. */
export type Start = (row: Row, globals: Globals, options: Record<string, unknown>, operands: string[]) => Promise<void>

const EXIT_CODES = `Exit codes:
  0  done
  1  it failed, or something is out of date or wrong
  2  wrong usage, a wrong setting, or no valid credential`

/** The options of each command that talks with a server, beside its own. */
export const GLOBALS: OptionRow[] = [
  { flags: '--url <address>', about: 'the server, in place of PARLANCE_URL and the config' },
  { flags: '--project <slug>', about: 'the project, in place of PARLANCE_PROJECT and the config' },
  { flags: '-C, --cwd <folder>', about: 'run as if started in this folder' },
  { flags: '--json', about: 'print one JSON document; errors are { "error": … }' },
  { flags: '--print-config', about: 'print every setting and where it comes from, and do nothing else' },
]

/** The words of a row without what it takes: `release create`. */
export const nameOf = ({ usage }: Pick<Row, 'usage'>): string => usage.replace(/ [<[].*$/, '')

/** The commander program of a table, for parsing and for completion. */
export function makeProgram(program: Program, start: Start): Command {
  const root = own(new Command('parlance'), program)
    .usage('<command> [options]')
    .description(program.description)
    .version(program.version(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
    .enablePositionalOptions()
  for (const option of GLOBALS) root.addOption(optionOf(option))
  after(root, () => `\`parlance <command> --help\` tells more.\n\n${EXIT_CODES}`)
  const groups = new Map<string, Command>([['', root]])
  for (const row of program.rows) {
    const words = nameOf(row).split(' ')
    const parent = groupOf(words.slice(0, -1).join(' '), groups, program)
    addCommand(parent, words.at(-1)!, row, program, start)
  }
  return root
}

/** What ends the parsing when options, or nothing at all, are all that was given. */
const NO_COMMAND = new Error('No command.')

/** `--print-config` without a command. */
const PRINT_CONFIG: Row = {
  usage: 'config',
  summary: '',
  example: '',
  load: async () => (await import('./config/print.ts')).run,
}

/**
 * Parses the command line and starts its command; prints help and version itself.
 * @throws Problem (exit 2) naming the wrong word
 */
export async function parse(words: string[], program: Program, start: Start): Promise<void> {
  const root = makeProgram(program, start)
  try {
    await root.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error === NO_COMMAND && root.opts().printConfig) return start(PRINT_CONFIG, root.opts(), {}, [])
    if (error === NO_COMMAND) return root.outputHelp()
    if (!isFinished(error)) throw error
  }
}

function groupOf(name: string, groups: Map<string, Command>, program: Program): Command {
  const known = groups.get(name)
  if (known) return known
  const words = name.split(' ')
  const parent = groupOf(words.slice(0, -1).join(' '), groups, program)
  const summary = program.groups[name] ?? ''
  const group = own(parent.command(words.at(-1)!), program)
    .helpCommand(false)
    .summary(summary)
  group.description(`${capitalized(summary)}.`)
  const first = program.rows.find(row => row.usage.startsWith(`${name} `))!
  after(group, () => `Example:\n  ${first.example}\n\n${EXIT_CODES}`)
  groups.set(name, group)
  return group
}

function addCommand(parent: Command, word: string, row: Row, program: Program, start: Start): void {
  const operands = row.usage.slice(nameOf(row).length)
  const command = own(parent.command(word + operands), program).summary(row.summary)
  command.description([`${capitalized(row.summary)}.`, row.about ?? ''].join(' ').trim())
  const options = row.options ?? []
  const common = program.common(row)
  for (const option of [...options, ...common]) command.addOption(optionOf(option))
  after(command, () => {
    const notes = row.notes?.()
    return `Example:\n  ${row.example}\n\n${EXIT_CODES}${notes === undefined ? '' : `\n\n${notes}`}`
  })
  const shared = new Set(common.map(option => optionOf(option).attributeName()))
  command.action(async () => {
    const early = rootOf(command).opts()
    const misplaced = GLOBALS.map(optionOf).find(
      one => one.attributeName() in early && !shared.has(one.attributeName()),
    )
    if (misplaced) throw usage(`${pathOf(command)} takes no ${misplaced.long}. See ${pathOf(command)} --help.`)
    const all = Object.entries({ ...early, ...command.opts() })
    const globals = Object.fromEntries(all.filter(([name]) => shared.has(name)))
    const rest = Object.fromEntries(all.filter(([name]) => !shared.has(name)))
    await start(row, globals, rest, command.args)
  })
}

function optionOf({ flags, about, choices, needed, default: value }: OptionRow): Option {
  const option = new Option(flags, about)
  if (choices) option.choices(choices)
  if (needed) option.makeOptionMandatory()
  if (value !== undefined) option.default(value)
  return option
}

/** What all commands share: where they write, and that nothing ends the process behind our back. */
function own(command: Command, { out, elsewhere = {} }: Program): Command {
  return command
    .configureOutput({
      writeOut: out,
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getOutHasColors: () => false,
    })
    .configureHelp({
      subcommandTerm: one => [one.name(), one.usage().replace('[options]', '').trim()].join(' ').trim(),
    })
    .helpOption('-h, --help', 'print this help')
    .exitOverride(error => {
      if (error.code === 'commander.help' && command.parent === null && command.args.length === 0) throw NO_COMMAND
      throw isFinished(error) ? error : usage(faultOf(error, command, elsewhere))
    })
}

function after(command: Command, text: () => string): void {
  command.addHelpText('after', () => `\n${text()}`)
}

function isFinished(error: unknown): boolean {
  return !(error instanceof Problem) && error instanceof Error && 'exitCode' in error && error.exitCode === 0
}

/** Commander's complaint in one sentence: the culprit, and where to look. */
function faultOf(error: CommanderError, command: Command, elsewhere: Record<string, string>): string {
  const [, quoted = ''] = /'([^']*)'/.exec(error.message) ?? []
  const named = quoted.replace(/=.*$/s, '')
  const [, meant] = /Did you mean (?:one of )?([^?]+)\?/.exec(error.message) ?? []
  const suggestion = meant ? ` Did you mean ${meant}?` : ''
  const path = pathOf(command)
  const see = ` See ${path} --help.`
  switch (error.code) {
    case 'commander.help':
      if (command.args[0] === 'help') return unknown(command, command.args.slice(1))
      return `Which command? ${command.commands.map(one => one.name()).join(', ')}.${see}`
    case 'commander.unknownCommand':
      if (command.parent === null && Object.hasOwn(elsewhere, named)) return elsewhere[named]!
      return unknown(command, [named], suggestion || nested(rootOf(command), named))
    case 'commander.unknownOption': {
      const isLater = command.commands.length > 0 && allOptions(command).has(named)
      return `There is no such option: ${named}.${suggestion}${isLater ? ' Options come after the command.' : ''}${see}`
    }
    case 'commander.excessArguments':
      return unknown(command, command.args.slice(command.registeredArguments.length))
    default:
      return `${capitalized(error.message.replace(/^error: /, '').replace(/\.?$/, '.'))}${see}`
  }
}

function unknown(command: Command, words: string[], suggestion = ''): string {
  const path = pathOf(command)
  const typed = [...path.split(' ').slice(1), ...words].join(' ')
  const takesNone = command.commands.length === 0 ? `; ${path} takes no "${words.join(' ')}"` : ''
  return `There is no such command: ${typed}${takesNone}.${suggestion} See ${path} --help.`
}

/** Where the word stands when it is one of a group: `verify` is `parlance server verify`. */
function nested(root: Command, word: string): string {
  const found = root.commands.flatMap(({ commands }) => commands).find(one => one.name() === word)
  return found ? ` Did you mean ${pathOf(found)}?` : ''
}

function allOptions(command: Command): Set<string | undefined> {
  return new Set(
    [command, ...command.commands].flatMap(one => [
      ...one.options.map(({ long }) => long),
      ...(one === command ? [] : allOptions(one)),
    ]),
  )
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command)

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
