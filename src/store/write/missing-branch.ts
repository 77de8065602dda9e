/** Where the branch was when `refs/heads/main` is missing: a repository with a past must never open as an empty one. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { Failure } from '../../bundle/errors.ts'
import { Tree } from '../objects/tree.ts'
import type { Objects } from '../snapshot.ts'
import { isAncestor } from './ancestors.ts'
import { readCommit } from './commit.ts'
import type { JournalCommit } from './journal.ts'

/** What the log and the health say once it is put back. */
export const PUT_BACK = 'the branch main was missing (deleted or renamed) and was put back to where the server left it'

/** How long others wait while objects are looked for, in milliseconds. */
const TURN_MS = 4

/**
 * The commit that the branch is to name again, null in a repository that never had one.
 * @param records what the journals hold, in order
 * @param note what the server noted last of where it left the branch
 * @throws Failure `unavailable` when nothing tells where it was, or objects of it are missing or damaged
 */
export async function findBranch(
  gitDir: string,
  objects: Objects,
  records: readonly JournalCommit[],
  note: string | undefined,
): Promise<string | null> {
  const commit = await lastKnown(objects, records, note)
  if (commit !== undefined && commit !== null) {
    const missing = await missingObject(commit, objects)
    if (missing === undefined) return commit
    throw lost(`is missing, and cannot be put back to ${commit}: ${missing}`)
  }
  const packs = (await readdir(join(gitDir, 'objects', 'pack'))).filter(name => name.endsWith('.pack'))
  // A kill in the very first seal leaves a pack and a journal.
  if (packs.length > 0 && records.length === 0) throw lost('is missing: it has a history and no branch main')
  return null
}

/** Undefined when nothing tells; null for the state before the first commit. */
async function lastKnown(objects: Objects, records: readonly JournalCommit[], note: string | undefined) {
  const [first] = records
  if (note === undefined || first === undefined) return note ?? first?.before
  const { before } = first
  // The journals lead on from where they begin, which is what they are made again on.
  if (note === before || records.some(({ after }) => after === note)) return before
  // A note that is older than they are lost its last change to a power cut.
  if (before !== null && objects.find(before) && (await isAncestor(note, before, objects))) return before
  return note
}

/** What of all that a commit leads to cannot be read, in a sentence; undefined when everything can. */
async function missingObject(commit: string, objects: Objects): Promise<string | undefined> {
  const seen = new Set<string>([Tree.EMPTY.id])
  const waiting: { id: string; kind: 'commit' | 'tree' | 'blob' }[] = [{ id: commit, kind: 'commit' }]
  let turnEnds = performance.now() + TURN_MS
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { id, kind } = next
    if (seen.has(id)) continue
    seen.add(id)
    if (performance.now() > turnEnds) {
      await yieldToOthers()
      turnEnds = performance.now() + TURN_MS
    }
    try {
      if (kind === 'blob') {
        if (!objects.has(id)) return `the blob ${id} is missing`
        continue
      }
      const object = objects.find(id)
      if (object?.type !== kind) return `the ${kind} ${id} is missing`
      if (kind === 'commit') {
        const { tree, parents } = readCommit(object.bytes)
        waiting.push({ id: tree, kind: 'tree' }, ...parents.map(id => ({ id, kind: 'commit' as const })))
      } else {
        for (const entry of Tree.parse(object.bytes).entries()) {
          // A submodule's commit is in another repository.
          if (entry.mode !== '160000') waiting.push({ id: entry.id, kind: entry.kind === 'tree' ? 'tree' : 'blob' })
        }
      }
    } catch (error) {
      return error instanceof Failure ? error.message.replace(/\.$/, '') : `the ${kind} ${id} cannot be read`
    }
  }
  return undefined
}

function lost(why: string): Failure {
  return new Failure(
    'unavailable',
    `The branch main of this organization's repository ${why}; parlance verify says what to do.`,
  )
}
