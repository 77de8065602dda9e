/** One push to a remote: branch, tags and the record of deleted releases, never by force. */

import { earlierRefs, FORMER_RELEASES, TAGS } from '../refs/tags.ts'
import type { BackupRemote, RemoteFailure } from './remote.ts'
import { explain, listRemote, runRemote } from './remote-git.ts'

/** The branch, the tags, and the former releases. */
export const PUSHED_REFS = ['refs/heads/main', TAGS, FORMER_RELEASES] as const

/** What is to be pushed, and where to. */
export interface PushOrder {
  gitDir: string
  remote: BackupRemote
  /** What stands in the remote's place for it. */
  id: string
  /** What is here, by ref: only {@link PUSHED_REFS}. */
  refs: Map<string, string>
  /** What the remote had after the last push; undefined when unknown: it may still have releases deleted here. */
  known: Map<string, string> | undefined
  signal: AbortSignal
}

/** `diverged`: the remote has something of its own instead, which was left alone. */
export type PushOutcome =
  | {
      state: 'done'
      /** What the remote has now; more than is here when one push could not send all deletions. */
      refs: Map<string, string>
      /** Whether its branch was not where `known` says: another remote, or one that others changed. */
      surprising: boolean
    }
  | { state: 'diverged'; sentence: string; words: string }
  | ({ state: 'failed' } & RemoteFailure)

/** Arguments have a limit; the next push sends the rest. */
const DELETIONS_AT_ONCE = 200

export async function push(order: PushOrder): Promise<PushOutcome> {
  const { gitDir, remote, id, refs, known, signal } = order
  const former = formerReleases(refs)
  const recorded = known === undefined ? [...former].map(([name, [id]]) => [name, id!] as const) : []
  const outdated = [...new Map([...recorded, ...gone(known ?? new Map(), refs, former)])]
  const surplus = outdated.filter(([name]) => !refs.has(name))
  // A new project uses the name again: its tag replaces the one there.
  const asked = [...outdated.filter(([name]) => refs.has(name)), ...surplus.slice(0, DELETIONS_AT_ONCE)]
  const leases: [string, string][] = []
  let moved: string | undefined
  if (asked.length > 0) {
    const there = await listRemote(
      remote,
      id,
      asked.map(([name]) => name),
      { gitDir, signal },
    )
    if (!('refs' in there)) return { state: 'failed', ...there }
    for (const [name, ours] of asked) {
      const theirs = there.refs.get(name)
      if (theirs === undefined || theirs === refs.get(name)) continue
      if (theirs === ours || former.get(name)?.has(theirs)) leases.push([name, theirs])
      else moved = name
    }
  }
  const said = await runRemote(
    remote,
    {
      command: [
        ...['push', '--porcelain', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no'],
        // A lease: only what was ours is deleted or replaced there.
        ...leases.map(([name, ours]) => `--force-with-lease=${name}:${ours}`),
      ],
      address: remote.address(id),
      refs: [
        ...PUSHED_REFS.map(ref => (ref.endsWith('/') ? `${ref}*:${ref}*` : `${ref}:${ref}`)),
        ...leases.filter(([name]) => !refs.has(name)).map(([name]) => `:${name}`),
      ],
    },
    { gitDir, signal },
  )
  if (said.code === 0 && moved !== undefined) return movedThere(moved)
  if (said.code === 0) {
    const there = new Map([...surplus.slice(DELETIONS_AT_ONCE), ...refs])
    const surprising = wasElsewhere(said.output, known?.get('refs/heads/main'))
    return { state: 'done', refs: there, surprising }
  }
  const rejected = /^!\t\S*:(\S+)\t\[rejected\]/m.exec(said.output)?.[1]
  if (rejected !== undefined) {
    if (known === undefined) return movedThere(rejected, said.errors + said.output)
    // Another remote than `known` is of may still have tags of former releases.
    const outcome = await push({ ...order, known: undefined })
    return outcome.state === 'done' ? { ...outcome, surprising: true } : outcome
  }
  // In brackets the remote says why: a rule, a hook, or that it refuses pushes.
  const [, why] = /^!\t\S+\t\[remote rejected\] \((.*)\)$/m.exec(said.output) ?? []
  if (why === undefined) return { state: 'failed', ...explain(said, id, signal) }
  return { state: 'failed', ...explain({ ...said, errors: `${said.errors}${why}\n` }, id, signal, REFUSED) }
}

const REFUSED = "The backup remote refuses the push, by a rule or a hook there; the server's log has its words."

/** Whether the remote's branch was not at `known` before the push, by git's report. */
function wasElsewhere(report: string, known: string | undefined): boolean {
  const [, flag, before = ''] = /^([ *+])\t\S*:refs\/heads\/main\t(?:([0-9a-f]+)\.\.)?/m.exec(report) ?? []
  return known !== undefined && flag !== undefined && (flag === '*' || !known.startsWith(before))
}

/** Whether the remote lacks anything, or still has a release deleted here. */
export function lacks(there: Map<string, string>, refs: Map<string, string>): boolean {
  return (
    [...refs].some(([name, id]) => there.get(name) !== id) ||
    [...formerReleases(refs)].some(([name, ids]) => ids.has(there.get(name) ?? ''))
  )
}

/** Refs that are missing here, or where the remote had the tag of a former release. A branch is never deleted. */
function gone(known: Map<string, string>, refs: Map<string, string>, former: Map<string, Set<string>>) {
  return [...known].filter(
    ([name, id]) => !name.startsWith('refs/heads/') && (!refs.has(name) || former.get(name)?.has(id)),
  )
}

/** The tags of former releases by the refs where a remote may still have them. */
function formerReleases(refs: Map<string, string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [former, id] of refs) {
    if (!former.startsWith(FORMER_RELEASES)) continue
    for (const name of earlierRefs(former)) {
      if (refs.get(name) !== id) found.set(name, (found.get(name) ?? new Set()).add(id))
    }
  }
  return found
}

function movedThere(ref: string, words = ''): PushOutcome {
  const remedy = 'Nothing there was overwritten: move that repository away, or set BACKUP_REMOTE to another place.'
  const sentence =
    ref === 'refs/heads/main'
      ? `The backup remote has commits that are not in the history here. ${remedy} (A new server in the place of a lost one is restored from the backup first.)`
      : `The backup remote has another ${ref.replace(/^refs\/tags\//, 'tag ')} than there is here. ${remedy}`
  return { state: 'diverged', sentence, words: words.trim().slice(0, 2000) }
}
