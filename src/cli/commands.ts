/** The table of commands: the source of completion, help and errors about wrong words. */
import type { CommandRow, OptionRow } from './command-table.ts'

/** Summaries of the words that begin several commands. */
export const GROUPS: Record<string, string> = {
  release: 'name the state of now for good, list such names',
}

const tokenStdin: OptionRow = {
  flags: '--token-stdin',
  about: 'read the token from standard input; a command line is seen by all users of the machine',
}

const languages: OptionRow = { flags: '--language <tag...>', about: 'only these languages' }
const language: OptionRow = { flags: '--language <tag>', about: 'only this language' }
const namespace: OptionRow = { flags: '--namespace <name>', about: 'only this namespace' }
const keysNamespace: OptionRow = { flags: '--namespace <name>', about: 'of the key; it is then written without one' }
const dryRun: OptionRow = { flags: '-n, --dry-run', about: 'print the changes without applying them' }
const yes: OptionRow = { flags: '-y, --yes', about: 'do not ask; needed where there is no terminal' }
const AT = 'a revision, a release or a time such as 2026-11-20'
const namespaces: OptionRow = { flags: '--namespace <name...>', about: 'only these namespaces' }
const prefer: OptionRow = {
  flags: '--prefer <side>',
  about: 'the side that wins if both changed a text: yours (the files) or theirs (the server)',
  choices: ['yours', 'theirs'],
}
const template: OptionRow = {
  flags: '--template <path>',
  about: 'where each file is in the folder',
  default: '{{language}}/{{namespace}}.json',
}
const leaveOut: OptionRow = {
  flags: '--leave-out <name...>',
  about: 'more keys to leave out than `ignore` of the config: common:nav.home, nav.home, nav.*',
}
const pushing: OptionRow[] = [
  dryRun,
  languages,
  namespaces,
  { flags: '--prune', about: 'delete on the server the keys and files that were deleted here' },
  { flags: '--overwrite', about: 'replace texts of the server in every language, not in the source language alone' },
  prefer,
  leaveOut,
  { flags: '--message <text>', about: 'the subject of the commit' },
  { flags: '--no-notes', about: 'do not read the code for notes to translators' },
  yes,
]

export const COMMANDS: CommandRow[] = [
  {
    usage: 'login',
    summary: 'store the token of a server for you, after a test of it',
    about:
      'Asks for missing values. The token is stored in a file that only you can read, one token for each server. ' +
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
    summary: 'print the server, the token and the projects in use',
    example: 'parlance whoami',
    load: async () => (await import('./commands/whoami.ts')).run,
  },
  {
    usage: 'init',
    summary: 'connect the app of this folder with a project of the server',
    about:
      'Finds the i18next config or the locale files anywhere below the folder. Creates the project, or uses a present one, ' +
      'and writes parlance.config.json. Then it shows and runs the first push. It lists each left-out file with the ' +
      'reason. A folder without texts gets the languages of the project.',
    options: [
      { flags: '--output <template>', about: 'where the locale files are: locales/{{language}}/{{namespace}}.json' },
      { flags: '--source-language <tag>', about: 'the language that the texts are written in first' },
      { flags: '--name <name>', about: 'of a new project, for people; its slug by default' },
      { ...leaveOut, about: 'keys that stay out, written to `ignore` of the config: common:nav.home, nav.home, nav.*' },
      { flags: '--no-push', about: 'leave the first push to you' },
      yes,
    ],
    example: 'parlance init --project web --yes',
    load: async () => (await import('./commands/init.ts')).run,
  },
  {
    usage: 'pull',
    summary: "bring what is new on the server into the app's files",
    about:
      'Merges key by key with your changes since the last pull. Writes only files with changed texts, in their own order. ' +
      'Shows conflicts, and asks for a decision.',
    options: [
      { flags: '--watch', about: 'go on, and pull whenever the server changes' },
      { flags: '--at <state>', about: 'as of a release, a revision or a time: v1, e4f927de, 2026-11-20T09:30Z' },
      { flags: '--check', about: 'write nothing; exit 1 with a list when something is new' },
      { flags: '--missing-only', about: 'add only texts that the files lack, and deleted files' },
      languages,
      namespaces,
      prefer,
    ],
    example: 'parlance pull --check',
    load: async () => (await import('./commands/pull.ts')).run,
  },
  {
    usage: 'push',
    summary: "send what was changed in the app's files to the server, in one commit",
    about:
      'Shows the result of each key first. In the source language the files win. In other languages the server gets missing ' +
      'texts, and your edits of texts that did not change there since your last pull. An empty text is a new key in the ' +
      'source language, and says nothing in others. Without --prune nothing is deleted: neither keys nor the bundles of ' +
      'deleted files. If the app has i18next-cli and its config names sources, translators also get notes from the code: ' +
      '`tDescription`, comments that begin with `translators:`, and where each key is used.',
    options: pushing,
    example: 'parlance push --dry-run',
    load: async () => (await import('./commands/push.ts')).run,
  },
  {
    usage: 'sync',
    summary: 'push, then pull',
    about: 'One plan, and one decision for each conflict. See push and pull.',
    options: pushing,
    example: 'parlance sync',
    load: async () => (await import('./commands/sync.ts')).run,
  },
  {
    usage: 'export <target>',
    summary: 'write all bundles of the server to a folder, or to a zip',
    options: [{ flags: '--at <state>', about: `as of then: ${AT}` }, template, languages, namespaces, yes],
    example: 'parlance export translations.zip --at v1',
    load: async () => (await import('./commands/export.ts')).run,
  },
  {
    usage: 'import <folder>',
    summary: 'send the locale files of any folder to the server, as push does with those of the app',
    options: [template, ...pushing.filter(({ flags }) => flags !== '--prune' && flags !== '--no-notes')],
    example: 'parlance import ../old-app/locales --dry-run',
    load: async () => (await import('./commands/import.ts')).run,
  },
  {
    usage: 'status',
    summary: 'print the progress of each language, and fail below a limit',
    about:
      'A key of the source language is translated, incomplete (it lacks a plural form), empty or missing. A translation is ' +
      'stale after a change of its source. Problems are translations with other placeholders. A language of the app that ' +
      'the server does not have lacks all keys.',
    options: [
      languages,
      namespace,
      { flags: '--fail-under <percent>', about: 'end with 1 if less of a language is translated, or as --of says' },
      { flags: '--of <share>', about: 'what counts', choices: ['translated', 'approved'], default: 'translated' },
      {
        flags: '--fail-on <kinds>',
        about: 'end with 1 where there are any, with commas',
        choices: ['missing', 'empty', 'incomplete', 'stale', 'problems', 'extra'],
        commas: true,
      },
    ],
    example: 'parlance status --fail-under 100 --fail-on stale,problems',
    load: async () => (await import('./commands/status.ts')).run,
  },
  {
    usage: 'translate',
    summary: 'let a machine of the server translate what is missing, empty or stale',
    about:
      'Shows the number of texts and the cost first. The server does the work as a job, in one commit for each language. ' +
      'Ctrl-C leaves the job running. A translation without a placeholder, tag or plural form is refused and listed; ' +
      'texts that people wrote are not replaced. Without --language it translates into all languages.',
    options: [
      languages,
      namespaces,
      { flags: '--machine <name>', about: 'a machine of the server; needed where it has more than one' },
      {
        flags: '--is <kinds>',
        about: 'what to translate, with commas; all of them by default',
        choices: ['missing', 'empty', 'stale'],
        commas: true,
      },
      { flags: '--suggest', about: 'store suggestions for a reviewer in place of texts' },
      { flags: '--again', about: 'send texts again that the gate refused before' },
      { flags: '--watch <job>', about: 'start nothing, and wait for a job that is running' },
      { flags: '--cancel <job>', about: 'cancel a running job; what it has stored stays' },
      dryRun,
      yes,
    ],
    example: 'parlance translate --language de --dry-run',
    load: async () => (await import('./commands/translate.ts')).run,
  },
  {
    usage: 'review',
    summary: 'list the suggestions that wait for a review, by language',
    options: [languages, namespace],
    example: 'parlance review --language de',
    load: async () => (await import('./commands/review.ts')).run,
  },
  {
    usage: 'stale',
    summary: 'show what changed in the source of translations that are older',
    options: [languages, namespace],
    example: 'parlance stale --language de',
    load: async () => (await import('./commands/stale.ts')).run,
  },
  {
    usage: 'diff',
    summary: 'show the keys that differ between your files and the server, or between two states of it',
    about: 'Without --from it compares the server (before) with your files (after). With --from it ignores your files.',
    options: [
      language,
      namespace,
      { flags: '--from <state>', about: `the earlier state: ${AT}` },
      { flags: '--to <state>', about: 'the later one; now by default' },
    ],
    example: 'parlance diff --from v1',
    load: async () => (await import('./commands/diff.ts')).run,
  },
  {
    usage: 'history [key]',
    summary: 'list the commits that changed the project, or one key',
    about: 'Newest first; of a key with its texts before and after, also when it is gone.',
    options: [
      language,
      namespace,
      { flags: '--author <email>', about: 'only commits of theirs' },
      { flags: '--at <state>', about: `as of then: ${AT}` },
      { flags: '--limit <number>', about: 'how many; 20 by default' },
    ],
    example: 'parlance history common:nav.home --language de',
    load: async () => (await import('./commands/history.ts')).run,
  },
  {
    usage: 'restore [key-or-namespace]',
    summary: 'restore a key or a namespace as of a revision, a release or a time',
    about: 'In all languages, or in one. Removes what was added since, and brings back what was deleted.',
    options: [{ flags: '--at <state>', about: AT, needed: true }, language, keysNamespace, dryRun, yes],
    example: 'parlance restore common:nav.home --at v1 --dry-run',
    load: async () => (await import('./commands/restore.ts')).run,
  },
  {
    usage: 'undo <revision...>',
    summary: 'undo one or more commits, without later changes',
    about: 'As one commit. Lists texts that changed since, which stay. An undo can be undone.',
    options: [dryRun, yes],
    example: 'parlance undo e4f927de --dry-run',
    load: async () => (await import('./commands/undo.ts')).run,
  },
  {
    usage: 'rename <from> <to>',
    summary: 'give a key another name in all languages',
    about: 'With its text, its forms and its history; it stays in its namespace.',
    options: [keysNamespace, dryRun, yes],
    example: 'parlance rename common:nav.home nav.start --yes',
    load: async () => (await import('./commands/rename.ts')).run,
  },
  {
    usage: 'release create <name>',
    summary: 'name the state of now, for good',
    example: 'parlance release create v1',
    load: async () => (await import('./commands/release.ts')).create,
  },
  {
    usage: 'release list',
    summary: 'list the releases, newest first',
    example: 'parlance release list',
    load: async () => (await import('./commands/release.ts')).list,
  },
  {
    usage: 'types',
    summary: "print TypeScript declarations of the keys for i18next's t(), or write them to a file",
    about: 'Of the source language. An up-to-date file is not touched.',
    options: [
      { flags: '-o, --output <file>', about: 'write them there; not the types.output of i18next-cli' },
      { flags: '--watch', about: 'follow what changes on the server, until Ctrl-C' },
      { flags: '--check', about: 'write nothing; exit 1 when the file is out of date' },
    ],
    example: 'parlance types --output src/parlance.d.ts',
    load: async () => (await import('./commands/types.ts')).run,
  },
  {
    usage: 'clone [folder]',
    summary: "clone the organization's git repository, with your token",
    about: 'The token goes to git by its environment, and stays in no file.',
    options: [{ flags: '--print', about: 'print the git command instead, with $PARLANCE_TOKEN in it' }],
    example: 'parlance clone translations',
    load: async () => (await import('./commands/clone.ts')).run,
  },
  {
    usage: 'open [key]',
    summary: 'open the dashboard at a key, or print its address',
    options: [
      { flags: '--language <tag>', about: "which language's page; the source language by default" },
      namespace,
      { flags: '--print', about: 'start no browser' },
    ],
    example: 'parlance open common:nav.home --language de',
    load: async () => (await import('./commands/open.ts')).run,
  },
  {
    usage: 'doctor',
    summary: 'check what the commands need: settings, server, token, clock, files',
    about: 'Each line is ok, warn or fail, with a remedy. Changes nothing, and ends with 1 after a fail.',
    example: 'parlance doctor',
    load: async () => (await import('./commands/doctor.ts')).run,
  },
  {
    usage: 'mcp',
    summary: 'connect an agent that speaks MCP over standard input and output with the server',
    about:
      'The agent starts it: name it in the config of the agent, as an MCP server. Standard output has ' +
      'nothing but the protocol. It ends with standard input.',
    example: 'parlance mcp --url https://parlance.example.com',
    load: async () => (await import('./commands/mcp.ts')).run,
  },
  {
    usage: 'completion <shell>',
    summary: 'print the completion script for bash, zsh, fish or powershell',
    about: 'A TAB runs only this CLI: it reads no config and asks no server.',
    example: 'source <(parlance completion bash)',
    load: async () => (await import('./commands/completion.ts')).run,
  },
]
