/** One repository and its copy at the remote: what is left to push, and the push. */

import { oldestCommit } from '../git/rev-list.ts'
import { createFolderRepository } from './file-remote.ts'
import { lacks, type PushOrder, push } from './push.ts'
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
  /** The remote's; undefined when unknown: then no earlier note counts. */
  identity: string | undefined
  /** Called at the first known push of the repository. */
  pushedFirst: () => void
  /** Called when the remote lacks what it was known to have. */
  surprised: () => void
  signal: AbortSignal
}

/**
 * Asks the remote whether it has everything, as the last push's note says. Needs no open repository.
 * @returns undefined when there is, or may be, something to push
 */
export async function confirm(target: BackupTarget, route: PushRoute): Promise<TargetOutcome | undefined> {
  const { gitDir, remote, identity, signal } = route
  if (await hasJournal(gitDir)) return undefined
  const refs = await refsToPush(gitDir)
  if (!refs.has(MAIN)) return { state: 'nothing' }
  const pushed = await readPushRecord(gitDir, remote)
  target.lastSuccess ??= pushed?.at ?? null
  if (identity === undefined || pushed?.identity !== identity || !sameRefs(pushed.refs, refs)) return undefined
  const made = await createFolderRepository(remote, target.id)
  if (typeof made === 'object') return { state: 'failed', ...made }
  const there = await listRemote(remote, target.id, [], { gitDir, signal })
  if ('reason' in there) return { state: 'failed', ...there }
  if (!lacks(there.refs, refs)) return { state: 'nothing' }
  target.changed(await oldestCommit(gitDir, there.refs.get(MAIN), signal))
  route.surprised()
  return undefined
}

/** Pushes the repository as it is now, and notes success in `target`. @throws Error without git */
export async function pushRepository(target: BackupTarget, route: PushRoute): Promise<TargetOutcome> {
  const { gitDir, remote, identity, signal } = route
  const { id } = target
  const refs = await refsToPush(gitDir)
  const pushed = await readPushRecord(gitDir, remote)
  target.lastSuccess ??= pushed?.at ?? null
  if (!refs.has(MAIN)) return { state: 'nothing' }
  const made = await createFolderRepository(remote, id)
  if (typeof made === 'object') return { state: 'failed', ...made }
  const isStranger = identity === undefined || pushed?.identity !== identity
  return pushRefs(target, route, { gitDir, remote, id, refs, known: pushed?.refs, isStranger, signal })
}

/** Pushes until tags are at rest: one that came during a push may have gone with it, unnoticed. */
async function pushRefs(
  target: BackupTarget,
  { identity, pushedFirst, surprised }: PushRoute,
  order: PushOrder,
): Promise<TargetOutcome> {
  for (let round = 0; ; round++) {
    const outcome = await push(order)
    if (outcome.state !== 'done') return outcome
    const at = Date.now()
    await writePushRecord(order.gitDir, order.remote, { at, refs: outcome.refs, identity })
    if (outcome.surprising) surprised()
    if (target.lastSuccess === null) pushedFirst()
    target.lastSuccess = at
    const now = await refsToPush(order.gitDir)
    // A commit that came meanwhile is announced when it is sealed.
    const main = order.refs.get(MAIN)!
    if (sameRefs(new Map(now).set(MAIN, main), outcome.refs)) return outcome
    if (round === MOST_ROUNDS) {
      target.changed()
      return outcome
    }
    order = { ...order, refs: now, known: new Map([...now, ...outcome.refs]), isStranger: false }
  }
}
