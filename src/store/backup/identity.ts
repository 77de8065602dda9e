/** Distinguishes a remote from another in its place: by a ref in its accounts' repository, created at first use. */
import { randomUUID } from 'node:crypto'
import { runIn } from '../git/git.ts'
import { ACCOUNTS } from './accounts.ts'
import { createFolderRepository } from './file-remote.ts'
import type { BackupRemote } from './remote.ts'
import { explain, listRemote, type RemoteFailure, runRemote } from './remote-git.ts'

const IDENTITY = 'refs/parlance/remote'
/** The identity of a remote that accepts no such ref. It looks like any other of these. */
const NAMELESS = 'none'

/** Asks the remote for its identity; creates a missing one. @param gitDir of the accounts' own repository */
export async function identify(
  remote: BackupRemote,
  gitDir: string,
  signal: AbortSignal,
): Promise<{ identity: string } | RemoteFailure> {
  const made = await createFolderRepository(remote, ACCOUNTS)
  if (typeof made === 'object') return made
  const ask = () => listRemote(remote, ACCOUNTS, [IDENTITY], { gitDir, signal })
  const asked = await ask()
  if ('reason' in asked) return asked
  const known = asked.refs.get(IDENTITY)
  if (known !== undefined) return { identity: known }

  const refused = await mark(remote, gitDir, signal)
  const again = await ask()
  if ('reason' in again) return again
  // Another server may have been faster; that both push shows when their histories part.
  const identity = again.refs.get(IDENTITY)
  if (identity !== undefined) return { identity }
  return refused && refused.reason !== 'failed' ? refused : { identity: NAMELESS }
}

async function mark(remote: BackupRemote, gitDir: string, signal: AbortSignal): Promise<RemoteFailure | undefined> {
  const made = await runIn(gitDir, ['hash-object', '-w', '--stdin'], { input: `${randomUUID()}\n`, signal })
  if (made.code !== 0) return explain(made, ACCOUNTS, signal)
  const command = ['push', '--no-verify', '--no-signed', `--force-with-lease=${IDENTITY}:`]
  const words = { command, address: remote.address(ACCOUNTS), refs: [`${made.output.trim()}:${IDENTITY}`] }
  const said = await runRemote(remote, words, { gitDir, signal })
  return said.code === 0 ? undefined : explain(said, ACCOUNTS, signal)
}
