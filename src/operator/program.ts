/** The `parlance` command: a table of its commands, their options, and the exit codes. */
import { Command, type CommanderError, Option } from 'commander'
import { Failure } from '../bundle/errors.ts'
import { describeSettings } from '../config.ts'
import type { Run } from './call.ts'
import type { Terminal } from './terminal.ts'

interface Row {
  /** One word, or a group and a word, then what it takes. */
  usage: string
  summary: string
  about?: string
  options: Option[]
  example: string
  /** Loaded when called: the server must not wait for what it does not use. */
  load: () => Promise<Run<never>>
}

const EXIT_CODES = `Exit codes:
  0  done, and nothing is wrong
  1  it failed, or verify found something
  2  wrong usage or a wrong setting`

const GROUPS: Record<string, string> = {
  user: 'make accounts, reset passwords and second factors, list them',
  organization: 'list organizations, export their repositories',
}

const dataDir = () => new Option('--data-dir <folder>', 'the data folder, in place of DATA_DIR')
const json = () => new Option('--json', 'print one JSON document; errors are { "error": … }')
const needed = (option: Option) => option.makeOptionMandatory()
const email = () => needed(new Option('--email <address>', 'the address the user signs in with'))
const passwordStdin = () =>
  new Option('--password-stdin', 'read the password from standard input; else one is made and printed once')

const TABLE: Row[] = [
  {
    usage: 'serve',
    summary: 'serve over HTTP until a signal ends it (the default)',
    about: 'The first SIGTERM, SIGINT or SIGHUP lets what is in flight finish, a second one does not wait.',
    options: [],
    example: 'PORT=8080 DATA_DIR=/var/lib/parlance parlance serve',
    load: async () => (await import('./serve.ts')).run,
  },
  {
    usage: 'backup',
    summary: 'push everything to BACKUP_REMOTE once',
    about:
      'For a data folder that no server runs on; a server pushes by itself, soon after each change. Ends with 1 when anything ' +
      'could not be pushed. With --check nothing is pushed: what is there is fetched and looked at, as a restore would, in a ' +
      'folder (in TMPDIR) that is thrown away; also beside a server, or without any data folder.',
    options: [new Option('--check', 'prove that a restore would work; ends with 1 when it would not')],
    example: "BACKUP_REMOTE='git@git.example.com:backup/{organization}.git' parlance backup",
    load: async () => (await import('./backup.ts')).run,
  },
  {
    usage: 'restore',
    summary: 'bring a whole data folder back from a backup remote',
    about:
      'Into an absent or empty data folder: all or nothing. Without --from it takes BACKUP_REMOTE, which other users of the ' +
      'machine cannot read as they can a command line: prefer it where the address holds a password.',
    options: [
      new Option('--from <remote>', 'where the backup is, in place of BACKUP_REMOTE; with {organization} in it'),
    ],
    example: "parlance restore --from '/mnt/backup/{organization}.git' --data-dir /var/lib/parlance",
    load: async () => (await import('./restore.ts')).run,
  },
  {
    usage: 'verify',
    summary: 'check a data folder: what is wrong, and what to do',
    about:
      'Checks accounts, repositories (git fsck, the journal, every file at HEAD) and the files that people see. Changes ' +
      'nothing, and works beside a running server. Errors and warnings end it with 1; notes are what the next start does by itself.',
    options: [new Option('--organization <id-or-slug>', 'check the repository of this one only')],
    example: 'parlance verify --data-dir /var/lib/parlance',
    load: async () => (await import('./verify.ts')).run,
  },
  {
    usage: 'user create',
    summary: 'make an account, whatever SIGN_UP says',
    about: 'Works beside a running server. The rules for passwords are those of sign-up.',
    options: [
      email(),
      needed(new Option('--name <name>', 'what others see')),
      passwordStdin(),
      new Option('--organization <id-or-slug>', 'make the user a member of it'),
      new Option('--role <role>', 'in that organization (default: member)').choices(['owner', 'admin', 'member']),
    ],
    example: 'parlance user create --email ann@example.com --name Ann --organization acme --role admin',
    load: async () => (await import('./user.ts')).create,
  },
  {
    usage: 'user reset-password',
    summary: 'give a user a new password and end all their sessions',
    about: 'Works beside a running server: the sessions end at once. API tokens belong to organizations and stay.',
    options: [email(), passwordStdin()],
    example: 'pass show ann | parlance user reset-password --email ann@example.com --password-stdin',
    load: async () => (await import('./user.ts')).resetPassword,
  },
  {
    usage: 'user reset-two-factor',
    summary: 'turn the second factor of a user off and end all their sessions',
    about:
      'For somebody who has lost the app and the backup codes; make sure that it is them who asks. Works beside a running server.',
    options: [email()],
    example: 'parlance user reset-two-factor --email ann@example.com',
    load: async () => (await import('./user.ts')).resetTwoFactor,
  },
  {
    usage: 'user list',
    summary: 'list the accounts and their organizations',
    options: [],
    example: "parlance user list --json | jq -r '.users[].email'",
    load: async () => (await import('./user.ts')).list,
  },
  {
    usage: 'organization list',
    summary: 'list the organizations: members, projects, size on disk',
    about: 'Works beside a running server. Projects are counted as of the last sealed write.',
    options: [],
    example: 'parlance organization list',
    load: async () => (await import('./organization.ts')).list,
  },
  {
    usage: 'organization export <id-or-slug>',
    summary: 'write main and all tags of an organization to a git bundle file',
    about:
      'Everything acknowledged before is in it, also beside a running server. Clone it, or fetch from it, with git.',
    options: [needed(new Option('--output <file>', 'where to; a file that is there is replaced'))],
    example: 'parlance organization export acme --output acme.bundle && git clone acme.bundle',
    load: async () => (await import('./organization.ts')).exportBundle,
  },
]

const ALL_OPTIONS = new Set([...TABLE.flatMap(({ options }) => options), dataDir(), json()].map(({ long }) => long))

/** Starts a parsed command. */
export type Start = (
  command: { name: string; load: Row['load'] },
  options: { dataDir?: string },
  operands: string[],
) => Promise<void>

/**
 * Parses the command line and starts its command; prints help and version itself.
 * @throws Failure `invalid` naming the wrong word
 */
export async function parse(terminal: Terminal, start: Start): Promise<void> {
  try {
    await makeProgram(terminal, start).parseAsync(terminal.words, { from: 'user' })
  } catch (error) {
    if (!isFinished(error)) throw error
  }
}

function makeProgram(terminal: Terminal, start: Start): Command {
  const program = own(new Command('parlance'), terminal)
    .usage('[command] [options]')
    .description(
      "Keeps the translations of an organization's apps: i18next bundles over HTTP, every write a git commit.",
    )
    .version(terminal.version(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
  after(
    program,
    () => `Without a command it serves. Options come after the command; \`parlance <command> --help\` tells them.

Example:
  parlance verify --data-dir /var/lib/parlance

${EXIT_CODES}

Settings, from the environment, for all commands alike:
${describeSettings()}`,
  )
  const groups = new Map<string, Command>()
  for (const row of TABLE) {
    const [name = '', word] = nameOf(row).split(' ')
    let parent = program
    if (word !== undefined) {
      parent = groups.get(name) ?? addGroup(program, name, row, terminal)
      groups.set(name, parent)
    }
    addCommand(parent, row, terminal, start)
  }
  return program
}

function addGroup(program: Command, name: string, { example }: Row, terminal: Terminal): Command {
  const group = own(program.command(name), terminal).helpCommand(false)
  group.summary(GROUPS[name]!).description(`${capitalized(GROUPS[name]!)}.`)
  after(group, () => `Example:\n  ${example}\n\n${EXIT_CODES}`)
  return group
}

function addCommand(parent: Command, row: Row, terminal: Terminal, start: Start): void {
  const usage = parent.parent ? row.usage.replace(/^\S+ /, '') : row.usage
  const command = own(parent.command(usage), terminal).summary(row.summary)
  command.description([`${capitalized(row.summary)}.`, row.about ?? ''].join(' ').trim())
  for (const option of [...row.options, dataDir(), json()]) command.addOption(option)
  after(command, () => {
    const settings = nameOf(row) === 'serve' ? `\n\nSettings, from the environment:\n${describeSettings()}` : ''
    return `Example:\n  ${row.example}\n\n${EXIT_CODES}${settings}`
  })
  command.action(() => start({ name: nameOf(row), load: row.load }, command.opts(), command.args))
}

/** What all commands share: where they write, and that nothing ends the process behind our back. */
function own(command: Command, terminal: Terminal): Command {
  return command
    .configureOutput({
      writeOut: text => void terminal.out(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getOutHasColors: () => false,
    })
    .helpOption('-h, --help', 'print this help')
    .exitOverride(error => {
      throw isFinished(error) ? error : new Failure('invalid', usageFault(error, command))
    })
}

function after(command: Command, text: () => string): void {
  command.addHelpText('after', () => `\n${text()}`)
}

function isFinished(error: unknown): boolean {
  return error instanceof Error && 'exitCode' in error && error.exitCode === 0
}

/** Commander's complaint in one sentence: the culprit, and where to look. */
function usageFault(error: CommanderError, command: Command): string {
  const [, quoted = ''] = /'([^']*)'/.exec(error.message) ?? []
  const named = quoted.replace(/=.*$/s, '')
  const [, meant] = /Did you mean (?:one of )?([^?]+)\?/.exec(error.message) ?? []
  const suggestion = meant ? ` Did you mean ${meant}?` : ''
  const path = pathOf(command)
  const see = ` See ${path} --help.`
  switch (error.code) {
    case 'commander.help':
      return `Which command? ${command.commands.map(one => one.name()).join(', ')}.${see}`
    case 'commander.unknownCommand':
      return `There is no such command: ${[...path.split(' ').slice(1), named].join(' ')}.${suggestion}${see}`
    case 'commander.unknownOption': {
      const early = command.commands.length > 0 && ALL_OPTIONS.has(named) ? ' Options come after the command.' : ''
      return `There is no such option: ${named}.${suggestion}${early}${see}`
    }
    case 'commander.excessArguments': {
      const given = command.args.slice(command.registeredArguments.length).join(' ')
      return `There is no such command: ${[...path.split(' ').slice(1), given].join(' ')}; ${path} takes no "${given}".${see}`
    }
    default:
      return `${capitalized(error.message.replace(/^error: /, '').replace(/\.?$/, '.'))}${see}`
  }
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

function nameOf({ usage }: Row): string {
  return usage
    .split(' ')
    .filter(word => /^[a-z-]+$/.test(word))
    .join(' ')
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
