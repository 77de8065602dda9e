/** git against a remote: its protocols, its password, and what its failures mean. */

import { type GitResult, runIn, sshEnvironment } from '../git/git.ts'
import { openRemoteFolder } from './folder-remote.ts'
import type { BackupRemote, RemoteFailure } from './remote.ts'

/**
 * Hands git a user name and password from descriptor 3: a prompt (GIT_ASKPASS) would show the name, which may be a
 * token, among a program's arguments. The text is constant; its shell reads a pair per question.
 */
const FROM_PIPE =
  '!f() { test "$1" = get || exit 0; IFS= read -r user <&3 && IFS= read -r password <&3 && ' +
  'printf \'username=%s\\npassword=%s\\n\' "$user" "$password"; }; f'
/** git asks once per new connection; past this it gets nothing and says so. */
const PAIRS = 8

/** Options for each kind of remote; with them no repository configuration lets git ask or run anything. */
function speaking(remote: BackupRemote): string[] {
  const { kind, origin } = remote
  const http = [
    ...['-c', 'http.followRedirects=false'],
    ...['-c', 'http.proxy='],
    // A peer that is silent for so long is gone.
    ...['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=300'],
  ]
  return [
    ...['-c', 'protocol.allow=never', '-c', `protocol.${kind}.allow=always`],
    ...['-c', 'credential.helper=', '-c', 'core.askPass='],
    ...(origin === undefined ? [] : ['-c', `credential.${origin}.helper=${FROM_PIPE}`]),
    ...(kind === 'http' || kind === 'https' ? http : []),
    // Each more thread has its own window of objects in memory.
    ...['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m'],
  ]
}

/** The words of a command: those before the address and those behind it. */
export interface RemoteCommand {
  command: string[]
  address: string
  refs?: string[]
}

/** Runs a git command against the remote, at low priority; its output holds no password. */
export async function runRemote(
  remote: BackupRemote,
  words: RemoteCommand,
  options: { gitDir: string; signal?: AbortSignal },
): Promise<GitResult> {
  if (remote.kind !== 'file') return runAt(remote, words, options)
  const folder = await openRemoteFolder(words.address)
  if ('code' in folder) return folder
  try {
    const { code, output, errors } = await runAt(remote, { ...words, address: folder.path }, options)
    return { code, output: folder.named(output), errors: folder.named(errors) }
  } finally {
    await folder.remove()
  }
}

async function runAt(
  remote: BackupRemote,
  { command, address, refs = [] }: RemoteCommand,
  { gitDir, signal }: { gitDir: string; signal?: AbortSignal },
): Promise<GitResult> {
  const secret = remote.secret()
  const { code, output, errors } = await runIn(gitDir, [...speaking(remote), ...command, '--', address, ...refs], {
    inBackground: true,
    gently: true,
    ...(remote.kind === 'ssh' ? { env: sshEnvironment() } : {}),
    ...(secret === '' ? {} : { secret: secret.repeat(PAIRS) }),
    ...(signal === undefined ? {} : { signal }),
  })
  return { code, output: remote.redact(output), errors: remote.redact(errors) }
}

/** What a remote has under these names; missing ones are left out. */
export async function listRemote(
  remote: BackupRemote,
  id: string,
  names: string[],
  options: { gitDir: string; signal?: AbortSignal },
): Promise<{ refs: Map<string, string> } | RemoteFailure> {
  const words = { command: ['ls-remote'], address: remote.address(id), refs: names }
  const said = await runRemote(remote, words, options)
  if (said.code !== 0) return explain(said, id, options.signal)
  const lines = said.output.split('\n').map(line => /^([0-9a-f]{40})\t(refs\/[^^]+)$/.exec(line))
  return { refs: new Map(lines.flatMap(line => (line ? [[line[2]!, line[1]!]] : []))) }
}

/** In this order: what follows the cause (`hung up`, `early EOF`) only reports the end. */
const FAILURES: [RemoteFailure['reason'], RegExp, (id: string) => string][] = [
  [
    'failed',
    /\.lock': File exists/,
    id =>
      `A lock is left in the repository of ${id} at the backup remote, by a git that was killed: when no git is at work ` +
      "there, remove the file that the server's log names.",
  ],
  ['full', /no space left|quota/i, () => 'The backup remote has no space left.'],
  [
    'denied',
    /read-only file system|unable to create temporary object directory|insufficient permission for adding|unable to create .*\.lock'/i,
    id =>
      `The repository of ${id} at the backup remote cannot be written: it is mounted read-only, full, or belongs to ` +
      'another user there.',
  ],
  [
    'denied',
    /dubious ownership/i,
    id =>
      `The repository of ${id} at the backup remote belongs to another user: git does not open it. Change its owner to the user that runs the server.`,
  ],
  ['damaged', /missing necessary objects|unresolved delta|remote: .*(is corrupt|corrupt loose|bad object)/i, damaged],
  [
    'failed',
    /remote unpack failed/i,
    id => `git could not send all of ${id}: its repository here may be damaged; run \`parlance server verify\`.`,
  ],
  [
    'damaged',
    new RegExp(
      [
        ...['is corrupt', 'corrupt loose', 'repository corruption', 'inflate: ', 'bad object', 'not our ref'],
        ...['bad pack header', 'does not match index', 'non-monotonic index', 'index file .* is too small'],
        ...[
          'object file .* is empty',
          'unable to read [0-9a-f]{40}',
          'bad config line \\d+ in file \\./',
          'pack has bad object',
        ],
        ...['did not send all necessary objects'],
      ].join('|'),
      'i',
    ),
    damaged,
  ],
  [
    'denied',
    /host key verification failed/i,
    () =>
      "The backup remote's host key is unknown or has changed: connect once by hand as the user that runs the server.",
  ],
  [
    'denied',
    /authentication failed|could not read (username|password)|returned error: 40[13]|permission denied|insufficient permission/i,
    () => 'The backup remote refuses the credentials, or they may not write there.',
  ],
  [
    'missing',
    /not found|couldn't find remote ref|not appear to be a git repository|does not exist|returned error: 404/i,
    id => `The backup remote has no repository for ${id}: create it there, empty.`,
  ],
  [
    'unreachable',
    /returned error: 30[1278]|redirect/i,
    () => 'The backup remote redirects, which is not followed: give the address that it leads to.',
  ],
  ['unreachable', /certificate|ssl|tls/i, () => "The backup remote's certificate is not trusted by this machine."],
  [
    'unreachable',
    /could not resolve|failed to connect|couldn't connect|connection|unreachable|no route|unable to access|hung up|early eof|rpc failed|timed out/i,
    () => 'The backup remote cannot be reached.',
  ],
]

/** What to do about a remote's repository that cannot be restored. */
export function damaged(id: string): string {
  return (
    `The repository of ${id} at the backup remote is damaged: nothing can be restored from it. Move it away there, and ` +
    'leave an empty one in its place where the remote is a host of git: all of it is pushed again.'
  )
}

/**
 * Explains git's output as a failure.
 * @param signal that it ran with: when aborted, the time was up
 * @param otherwise the sentence for an unknown failure
 */
export function explain(
  { errors, output }: GitResult,
  id: string,
  signal?: AbortSignal,
  otherwise = "git failed at the backup remote; the server's log has its words.",
): RemoteFailure {
  const words = `${errors}${output}`.trim().slice(0, 2000)
  if (signal?.aborted) {
    return { reason: 'slow', sentence: 'The backup remote was too slow; it is tried again, with more time.', words }
  }
  const known = FAILURES.find(([, pattern]) => pattern.test(errors))
  if (known) return { reason: known[0], sentence: known[2](id), words }
  return { reason: 'failed', sentence: otherwise, words }
}
