/** The commits of an organization's main line, read without git: what each changed, and which came before it. */
import { type ChangedFile, changedFiles } from '../../project/changed-files.ts'
import { type Author, readCommit, readCommitText, readIdentity } from '../objects/commit.ts'
import { readHead, StateSnapshot } from '../snapshot.ts'
import type { JournalCommit } from '../write/journal.ts'
import { followFirstParents, type LookAtPast, type RepositoryPast } from './past.ts'

/** A commit and its changes against its first parent. */
export interface MainLineCommit {
  revision: string
  /** Its first parent; null for the first commit. */
  before: string | null
  author: Author
  /** The committer's, in seconds since 1970. */
  time: number
  subject: string
  files: ChangedFile[]
}

/** What git calls no commit at all: the revision before the first one. */
export const NO_REVISION = '0'.repeat(40)

/** A commit of the server's from its record in the journal, without the contents. */
export function commitOf({ before, after, author, time, message, changes }: JournalCommit): MainLineCommit {
  return {
    revision: after,
    before,
    author: readIdentity(author),
    time,
    subject: message.slice(0, message.indexOf('\n')),
    files: changes.map(({ path, before, after }) => ({ path, before, after })),
  }
}

/** Any commit from the repository. @throws Failure `unavailable` when it is missing or damaged */
export function readCommitOf({ objects }: RepositoryPast, revision: string): MainLineCommit {
  const bytes = objects.commit(revision)
  const before = readCommit(bytes).parents[0] ?? null
  const { author, time, subject } = readCommitText(bytes)
  const at = (commit: string | null) => new StateSnapshot(objects, readHead(objects, commit), true)
  return { revision, before, author, time, subject, files: changedFiles(at(before), at(revision)) }
}

/**
 * The revisions before `from` by first parents, oldest first: at most `most`, none older than `last`, and
 * {@link NO_REVISION} before the first commit.
 */
export async function revisionsBefore(look: LookAtPast, from: string, most: number, last: string): Promise<string[]> {
  const found: string[] = []
  if (from === NO_REVISION || most < 1) return found
  await followFirstParents(from, look, (_past, _id, { parent = NO_REVISION }) => {
    found.push(parent)
    return found.length >= most || parent === last || undefined
  })
  return found.reverse()
}
