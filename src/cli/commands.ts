/** The table of a developer's commands. Completion, help and the exit codes of wrong words come from it. */
import type { OptionRow, Row } from './program.ts'

/** What the words that begin several commands stand for. */
export const GROUPS: Record<string, string> = {}

const tokenStdin: OptionRow = {
  flags: '--token-stdin',
  about: 'read the token from standard input; a command line is seen by all users of the machine',
}

/** See the top of the file. */
export const COMMANDS: Row[] = [
  {
    usage: 'login',
    summary: 'keep the token of a server for you, after it was tried there',
    about:
      'Asks for what is not given. The token lies in a file that its owner alone can read, one token for each server. ' +
      'In CI set PARLANCE_URL and PARLANCE_TOKEN instead.',
    options: [tokenStdin],
    example: 'parlance login --url https://parlance.example.com',
    load: async () => (await import('./commands/login.ts')).run,
  },
  {
    usage: 'logout',
    summary: 'forget the token of a server',
    about: 'The token itself stays valid: an owner or admin revokes it.',
    example: 'parlance logout --url https://parlance.example.com',
    load: async () => (await import('./commands/logout.ts')).run,
  },
  {
    usage: 'whoami',
    summary: 'tell which server, which token and which projects are meant',
    example: 'parlance whoami',
    load: async () => (await import('./commands/whoami.ts')).run,
  },
]
