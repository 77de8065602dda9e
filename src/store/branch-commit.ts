/** Looks at a commit of the branch: what it says, and what it was made on. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { gitVersion } from './git/git.ts'
import { descendantsFirst, isAncestorInGit } from './git/rev-list.ts'
import { readCommit, readCommitText } from './objects/commit.ts'
import { type LookAtPast, type RepositoryPast, type RunGit, stride } from './past.ts'
import { unknownRevision } from './snapshot.ts'

/** A commit of the branch. */
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
export async function branchCommit(revision: string, look: LookAtPast, readGit: RunGit): Promise<BranchCommit> {
  if (!(await isOnBranch(revision, look, readGit))) throw unknownRevision(revision)
  return look(history => {
    const bytes = history!.objects.commit(revision)
    const { subject, body, time } = readCommitText(bytes)
    return { revision, parent: readCommit(bytes).parents[0] ?? null, time, subject, body }
  })
}

/**
 * Commits of the branch, descendants first.
 * @throws Failure `unsupported` for several without git
 */
export async function newestFirst(commits: readonly BranchCommit[], readGit: RunGit): Promise<BranchCommit[]> {
  if (commits.length < 2) return [...commits]
  const byId = new Map(commits.map(commit => [commit.revision, commit]))
  // No commit is older than its parents.
  const since = Math.min(...commits.map(({ time }) => time))
  const ids = await readGit(gitDir => descendantsFirst(gitDir, [...byId.keys()], since))
  return ids.map(id => byId.get(id)!)
}

/** The newest commits are looked through here, the others by git, which has an index of them. */
async function isOnBranch(revision: string, look: LookAtPast, readGit: RunGit): Promise<boolean> {
  const head = await look(history => history?.head.commit)
  const walk: Walk = { wanted: revision, seen: new Set(), waiting: head ? [head] : [] }
  const git = (await gitVersion()) !== undefined
  for (;;) {
    const found = await look(history => history && step(history, walk))
    if (found !== undefined || head == null) return found === true
    if (git) return readGit(gitDir => isAncestorInGit(gitDir, revision, head))
    await yieldToOthers()
  }
}

interface Walk {
  wanted: string
  seen: Set<string>
  waiting: string[]
}

/** @returns undefined when there is more to look at */
function step({ objects }: RepositoryPast, { wanted, seen, waiting }: Walk): boolean | undefined {
  for (const _ of stride()) {
    const commit = waiting.pop()
    if (commit === undefined || commit === wanted) return commit !== undefined
    for (const parent of readCommit(objects.commit(commit)).parents) {
      if (!seen.has(parent)) waiting.push(parent)
      seen.add(parent)
    }
  }
  return undefined
}
