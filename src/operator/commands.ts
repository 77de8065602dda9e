/** The commands of the operator: `parlance server …`. */

import type { CommandRow, OptionRow } from '../cli/command-table.ts'
import { WIDTH, wrapped } from '../cli/help.ts'
import { GLOBALS, nameOf } from '../cli/program.ts'
import { settings } from '../settings.ts'
import { type CommandRun, operatorRun } from './report.ts'

type OperatorRow = Omit<CommandRow, 'load'> & {
  /** Loaded when called: the server must not wait for what it does not use. */
  run: () => Promise<CommandRun<never>>
}

/** What the words that begin several commands stand for. */
export const SERVER_GROUPS: Record<string, string> = {
  server: 'run a server, and look after its data folder',
  'server user': 'create accounts, reset passwords and second factors, list them',
  'server organization': 'list organizations, export their repositories',
  'server cluster': 'the state of the nodes over one PostgreSQL',
  'server accounts': 'move all accounts into the database that several nodes share, or back',
}

/** The options that each of them has, beside its own. */
export const SERVER_OPTIONS: OptionRow[] = [
  { flags: '--data-dir <folder>', about: 'the data folder, in place of DATA_DIR' },
  GLOBALS.find(({ flags }) => flags === '--json')!,
]

const EMAIL: OptionRow = { flags: '--email <address>', about: 'the address the user signs in with', needed: true }
const PASSWORD_STDIN: OptionRow = {
  flags: '--password-stdin',
  about: 'read the password from standard input; else one is generated and printed once',
}

const TABLE: OperatorRow[] = [
  {
    usage: 'server serve',
    summary: 'serve over HTTP until a signal ends it',
    about: 'The first SIGTERM, SIGINT or SIGHUP lets what is in flight finish, a second one does not wait.',
    options: [],
    example: 'PORT=8080 DATA_DIR=/var/lib/parlance parlance serve',
    notes: () => `Settings, from the environment:\n${describeSettings()}`,
    run: async () => (await import('./serve.ts')).run,
  },
  {
    usage: 'server backup',
    summary: 'push everything to BACKUP_REMOTE once',
    about:
      'For a data folder that no server runs on; a server pushes by itself, soon after each change. Ends with 1 when anything ' +
      'could not be pushed. With --check nothing is pushed: what is there is fetched and looked at, as a restore would, in a ' +
      'folder (in TMPDIR) that is thrown away; also beside a server, or without any data folder.',
    options: [{ flags: '--check', about: 'prove that a restore would work; ends with 1 when it would not' }],
    example: "BACKUP_REMOTE='git@git.example.com:backup/{organization}.git' parlance server backup",
    run: async () => (await import('./backup.ts')).run,
  },
  {
    usage: 'server restore',
    summary: 'bring a whole data folder back from a backup remote',
    about:
      'Into an absent or empty data folder: all or nothing. Without --from it reads BACKUP_REMOTE, which other users of the ' +
      'machine cannot read as they can a command line: prefer it where the address holds a password.',
    options: [
      { flags: '--from <remote>', about: 'where the backup is, in place of BACKUP_REMOTE; with {organization} in it' },
    ],
    example: "parlance server restore --from '/mnt/backup/{organization}.git' --data-dir /var/lib/parlance",
    run: async () => (await import('./restore.ts')).run,
  },
  {
    usage: 'server verify',
    summary: 'check a data folder: what is wrong, and what to do',
    about:
      'Checks accounts, repositories (git fsck, the journal, every file at HEAD) and the files that people see. Changes ' +
      'nothing, and works beside a running server. Errors and warnings end it with 1; notes are what the next start does by itself.',
    options: [{ flags: '--organization <id-or-slug>', about: 'check the repository of this one only' }],
    example: 'parlance server verify --data-dir /var/lib/parlance',
    run: async () => (await import('./verify.ts')).run,
  },
  {
    usage: 'server user create',
    summary: 'create an account, even when SIGN_UP is closed',
    about: 'Works beside a running server. The rules for passwords are those of sign-up.',
    options: [
      EMAIL,
      { flags: '--name <name>', about: 'what others see', needed: true },
      PASSWORD_STDIN,
      { flags: '--organization <id-or-slug>', about: 'add the user to it as a member' },
      {
        flags: '--role <role>',
        about: 'in that organization (default: member)',
        choices: ['owner', 'admin', 'member'],
      },
    ],
    example: 'parlance server user create --email ann@example.com --name Ann --organization acme --role admin',
    run: async () => (await import('./user.ts')).create,
  },
  {
    usage: 'server user reset-password',
    summary: 'give a user a new password and end all their sessions',
    about: 'Works beside a running server: the sessions end at once. API tokens belong to organizations and stay.',
    options: [EMAIL, PASSWORD_STDIN],
    example: 'pass show ann | parlance server user reset-password --email ann@example.com --password-stdin',
    run: async () => (await import('./user.ts')).resetPassword,
  },
  {
    usage: 'server user reset-two-factor',
    summary: 'turn the second factor of a user off and end all their sessions',
    about:
      'For a user who has lost the app and the backup codes; check first that the user is the one who asks. Works beside a running server.',
    options: [EMAIL],
    example: 'parlance server user reset-two-factor --email ann@example.com',
    run: async () => (await import('./user.ts')).resetTwoFactor,
  },
  {
    usage: 'server user list',
    summary: 'list the accounts and their organizations',
    options: [],
    example: "parlance server user list --json | jq -r '.users[].email'",
    run: async () => (await import('./user.ts')).list,
  },
  {
    usage: 'server organization list',
    summary: 'list the organizations: members, projects, size on disk',
    about: 'Works beside a running server. Projects are counted as of the last sealed write.',
    options: [],
    example: 'parlance server organization list',
    run: async () => (await import('./organization.ts')).list,
  },
  {
    usage: 'server organization export <id-or-slug>',
    summary: 'write main and all tags of an organization to a git bundle file',
    about:
      'Everything acknowledged before is in it, also beside a running server. Clone it, or fetch from it, with git.',
    options: [{ flags: '--output <file>', about: 'where to; a file that is there is replaced', needed: true }],
    example: 'parlance server organization export acme --output acme.bundle && git clone acme.bundle',
    run: async () => (await import('./organization.ts')).exportBundle,
  },
  {
    usage: 'server cluster status',
    summary: 'list the nodes of a cluster, and how far their repositories are',
    about: 'Asks the database that CLUSTER names, from wherever that can be reached. Ends with 1 when no node serves.',
    options: [],
    example: 'parlance server cluster status --json',
    run: async () => (await import('./cluster.ts')).status,
  },
  {
    usage: 'server cluster reseed <id-or-slug>',
    summary: "have this node fetch an organization's repository again",
    about:
      'For a repository that the log of the cluster does not know any more, such as after an external commit. The ' +
      'server of this data folder is stopped meanwhile. What is there goes to deleted/ in the data folder; the node fetches ' +
      'the repository from another one, or the backup, when it starts.',
    options: [],
    example: 'parlance server cluster reseed acme',
    run: async () => (await import('./cluster.ts')).reseed,
  },
  {
    usage: 'server accounts move',
    summary: 'move all accounts into the database that several nodes share, or back into a data folder',
    about:
      'For a data folder that no server runs on, and a database without accounts: all rows of all tables, counted and compared, in ' +
      'one transaction, and the secret that signs sessions. The old file stays beside as parlance.sqlite.moved-<time>. Back, the ' +
      'folder is that of a node which has been stopped last, and no node starts with the database any more. The word cluster ' +
      'stands for the address in CLUSTER, which other users of the machine cannot read as they can a command line.',
    options: [
      { flags: '--to <postgres>', about: 'the database to move into, or cluster' },
      { flags: '--from <postgres>', about: 'the database to move out of, or cluster' },
    ],
    example:
      'parlance server accounts move --to postgres://parlance@db.example.com/parlance --data-dir /var/lib/parlance',
    run: async () => (await import('./accounts.ts')).move,
  },
]

/** See the top of the file; `parlance serve` is short for `parlance server serve`. */
export const SERVER_COMMANDS: CommandRow[] = [...TABLE, { ...TABLE[0]!, usage: 'serve' }].map(({ run, ...row }) => ({
  ...row,
  load: async () => operatorRun(nameOf(row), run),
}))

/** The settings as `--help` lists them. */
export function describeSettings(): string {
  const margin = ' '.repeat(Math.max(...Object.keys(settings).map(name => name.length)) + 4)
  return Object.entries(settings)
    .map(([name, { default: otherwise, meaning, form }]) => {
      const about = `${meaning} It is ${form}.${otherwise && ` [default: ${otherwise}]`}`
      return `  ${name}`.padEnd(margin.length) + wrapped(about, WIDTH - margin.length, margin)
    })
    .join('\n')
}
