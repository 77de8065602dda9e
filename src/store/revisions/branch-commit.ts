/** Looks at a commit of the branch: its text, and its parent. */
import { gitVersion } from '../git/git.ts'
import { descendantsFirst, isAncestorInGit } from '../git/rev-list.ts'
import { readCommit, readCommitText } from '../objects/commit.ts'
import { withObjects } from '../read-only.ts'
import { unknownRevision } from '../snapshot.ts'
import { isAncestor } from '../write/ancestors.ts'
import { followFirstParents, type LookAtPast, type RunGit } from './past.ts'

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
