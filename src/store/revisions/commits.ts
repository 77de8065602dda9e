/** The commits of the branch: what each changed, its text, and which came before it. */
import { type ChangedFile, changedFiles } from '../../project/changed-files.ts'
import { gitVersion } from '../git/git.ts'
import { descendantsFirst, isAncestorInGit } from '../git/rev-list.ts'
import { type Author, readCommit, readCommitText, readIdentity } from '../objects/commit.ts'
import { withObjects } from '../read-only.ts'
import { readHead, StateSnapshot, unknownRevision } from '../snapshot.ts'
import { isAncestor } from '../write/ancestors.ts'
import type { JournalCommit } from '../write/journal.ts'
import { followFirstParents, type LookAtPast, type RepositoryPast, type RunGit } from './past.ts'

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
  const at = (commit: string | null) => new StateSnapshot(objects, readHead(objects, commit))
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

/** The text of a commit of the branch. */
export interface BranchCommit {
  revision: string
  /** The first parent: what the main line was before; null for the first commit. */
  parent: string | null
  /** The committer's, in seconds since 1970. */
  time: number
  subject: string
  body: string
}

/**
 * @param revision the full id of a commit in the repository
 * @throws Failure `not-found`, as for an unknown one, unless the branch's newest commit is it or descends from it
 */
export async function branchCommit(revision: string, look: LookAtPast, runGit: RunGit): Promise<BranchCommit> {
  if (!(await isOnBranch(revision, look, runGit))) throw unknownRevision(revision)
  return look(past => {
    const bytes = past!.objects.commit(revision)
    const { subject, body, time } = readCommitText(bytes)
    return { revision, parent: readCommit(bytes).parents[0] ?? null, time, subject, body }
  })
}

/**
 * Commits of the branch, descendants first.
 * @throws Failure `unsupported` for several without git
 */
export async function newestFirst(commits: readonly BranchCommit[], runGit: RunGit): Promise<BranchCommit[]> {
  if (commits.length < 2) return [...commits]
  const byId = new Map(commits.map(commit => [commit.revision, commit]))
  // No commit is older than its parents.
  const since = Math.min(...commits.map(({ time }) => time))
  const ids = await runGit(gitDir => descendantsFirst(gitDir, [...byId.keys()], since))
  return ids.map(id => byId.get(id)!)
}

/** Reads the newest commits of the main line here. git has an index for the others, and for merged ones. */
async function isOnBranch(revision: string, look: LookAtPast, runGit: RunGit): Promise<boolean> {
  const head = await look(past => past?.head.commit)
  if (!head) return false
  const inGit = () =>
    runGit(async gitDir => {
      if ((await gitVersion()) !== undefined) return isAncestorInGit(gitDir, revision, head)
      return withObjects(gitDir, objects => isAncestor(revision, head, objects))
    })
  return (await followFirstParents(head, look, (_past, id) => id === revision || undefined, inGit)) ?? inGit()
}
