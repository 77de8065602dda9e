/** One repository and its copy at the remote: what is left to push, and the push. */
import { oldestCommit } from '../git/rev-list.ts'
import { createFolderRepository } from './folder-remote.ts'
import { lacks, push } from './push.ts'
import { hasJournal, readPushRecord, refsToPush, sameRefs, writePushRecord } from './push-record.ts'
import type { BackupRemote } from './remote.ts'
import { listRemote } from './remote-git.ts'
import type { BackupTarget, TargetOutcome } from './target.ts'

const MAIN = 'refs/heads/main'
/** Pushes in a row while refs change meanwhile; then the next push's turn comes. */
const MOST_ROUNDS = 10

/** How a repository compares with the remote, by its own files. */
interface Standing {
  /** Of the last push there, in milliseconds since 1970; null when none is known. */
  lastSuccess: number | null
  isBehind: boolean
  /** The time of the oldest commit it lacks, in milliseconds since 1970, if known. */
  since: number | undefined
}

/** Finds what an earlier process left to push; for an up-to-date repository it reads a few files. */
export async function standingOf(gitDir: string, remote: BackupRemote, signal: AbortSignal): Promise<Standing> {
  const pushed = await readPushRecord(gitDir, remote)
  const refs = await refsToPush(gitDir)
  const unsealed = await hasJournal(gitDir)
  const isBehind = unsealed || (pushed ? !sameRefs(pushed.refs, refs) : refs.has(MAIN))
  const since = isBehind ? await oldestCommit(gitDir, pushed?.refs.get(MAIN), signal) : undefined
  return { lastSuccess: pushed?.at ?? null, isBehind, since }
}

export interface PushRoute {
  gitDir: string
  remote: BackupRemote
  signal: AbortSignal
}

/** Something is, or may be, left to push. `isSurprising`: the remote lacks what the last push left there. */
export interface Behind {
  state: 'behind'
  isSurprising?: boolean
}

/** Asks the remote whether it has everything, as the last push's note says. Needs no open repository. */
export async function confirm(
  target: BackupTarget,
  { gitDir, remote, signal }: PushRoute,
): Promise<TargetOutcome | Behind> {
  if (await hasJournal(gitDir)) return { state: 'behind' }
  const refs = await refsToPush(gitDir)
  if (!refs.has(MAIN)) return { state: 'nothing' }
  const pushed = await readPushRecord(gitDir, remote)
  target.lastSuccess ??= pushed?.at ?? null
  if (pushed === undefined || !sameRefs(pushed.refs, refs)) return { state: 'behind' }
  const refused = await createFolderRepository(remote, target.id)
  if (refused) return { state: 'failed', ...refused }
  const there = await listRemote(remote, target.id, [], { gitDir, signal })
  if ('reason' in there) return { state: 'failed', ...there }
  if (!lacks(there.refs, refs)) return { state: 'nothing' }
  target.changed(await oldestCommit(gitDir, there.refs.get(MAIN), signal))
  return { state: 'behind', isSurprising: true }
}

/**
 * Pushes the repository as it is now, until tags are at rest: one that came during a push may have gone with it,
 * unnoticed. Notes success in `target`.
 * @param surprising the remote does not have what the last push left: no ref there counts as ours
 * @throws Error without git
 */
export async function pushRepository(
  target: BackupTarget,
  { gitDir, remote, signal }: PushRoute,
  surprising = false,
): Promise<TargetOutcome> {
  const { id } = target
  let refs = await refsToPush(gitDir)
  const pushed = await readPushRecord(gitDir, remote)
  target.lastSuccess ??= pushed?.at ?? null
  if (!refs.has(MAIN)) return { state: 'nothing' }
  const refused = await createFolderRepository(remote, id)
  if (refused) return { state: 'failed', ...refused }
  let known = surprising ? undefined : pushed?.refs
  for (let round = 0; ; round++) {
    const outcome = await push({ gitDir, remote, id, refs, known, signal })
    if (outcome.state !== 'done') return outcome
    surprising ||= outcome.surprising
    const at = Date.now()
    await writePushRecord(gitDir, remote, { at, refs: outcome.refs })
    target.lastSuccess = at
    const now = await refsToPush(gitDir)
    // A commit that came meanwhile is announced when it is sealed.
    const isAtRest = sameRefs(new Map(now).set(MAIN, refs.get(MAIN)!), outcome.refs)
    if (!isAtRest && round === MOST_ROUNDS) target.changed()
    if (isAtRest || round === MOST_ROUNDS) return { ...outcome, surprising }
    known = new Map([...now, ...outcome.refs])
    refs = now
  }
}
