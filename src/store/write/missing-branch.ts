/** Finds where a missing `refs/heads/main` was: a repository with a past must never open as empty. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { findMissing } from '../reachable.ts'
import type { Objects } from '../snapshot.ts'
import { isAncestor } from './ancestors.ts'
import type { JournalCommit } from './journal.ts'

/** What log and health say once the branch is put back. */
export const BRANCH_RESTORED =
  'the branch main was missing (deleted or renamed) and was put back to where the server left it'

/**
 * The commit that the branch is to name again; null in a repository that never had one.
 * @param records what the journals hold, in order
 * @param note the server's last note of where it left the branch
 * @param elsewhere whether other nodes have all that was acknowledged, so that it may start empty
 * @throws Failure `unavailable` when its place is unknown, or its objects are missing or damaged
 */
export async function findBranch(
  gitDir: string,
  objects: Objects,
  records: readonly JournalCommit[],
  note: string | undefined,
  elsewhere: boolean,
): Promise<string | null> {
  const commit = await lastKnown(objects, records, note)
  if (commit !== undefined && commit !== null) {
    const missing = await findMissing([commit], objects)
    if (missing === undefined) return commit
    throw lost(`is missing, and cannot be put back to ${commit}: ${missing}`)
  }
  const packs = (await readdir(join(gitDir, 'objects', 'pack'))).filter(name => name.endsWith('.pack'))
  // A kill in the very first seal leaves a pack and a journal.
  if (packs.length > 0 && records.length === 0 && !elsewhere)
    throw lost('is missing: it has a history and no branch main')
  return null
}

/** Undefined when its place is unknown; null for the state before the first commit. */
async function lastKnown(objects: Objects, records: readonly JournalCommit[], note: string | undefined) {
  const [first] = records
  if (note === undefined || first === undefined) return note ?? first?.before
  const { before } = first
  // The journals are replayed on the commit where they begin.
  if (note === before || records.some(({ after }) => after === note)) return before
  // A power cut can leave an old note.
  if (before !== null && objects.find(before) && (await isAncestor(note, before, objects))) return before
  return note
}

function lost(why: string): Failure {
  return new Failure(
    'unavailable',
    `The branch main of this organization's repository ${why}; parlance server verify says what to do.`,
  )
}
