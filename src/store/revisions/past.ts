/** The past of an organization, read in synchronous looks at its open repository, or by git. */

import type { ByteCache } from '../../scheduling/byte-cache.ts'
import { nextTurn } from '../../scheduling/slices.ts'
import { readCommit } from '../objects/commit.ts'
import type { Head, Objects } from '../snapshot.ts'

/** The parts of an open repository that a look reads. */
export interface RepositoryPast {
  readonly gitDir: string
  readonly objects: Objects
  readonly head: Head
  /**
   * The commits of past times, and the newest changes of folders. Answers stay valid: a commit never precedes its
   * parents.
   */
  readonly times: ByteCache<{ commit: string | null }>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Runs a synchronous look at the repository, undefined without one. It may close between two looks. */
export type LookAtPast = <T>(use: (past: RepositoryPast | undefined) => T) => Promise<T>

/** Lets git read everything acknowledged. */
export type RunGit = <T>(use: (gitDir: string) => Promise<T>) => Promise<T>

/** Most commits and milliseconds of one look: other requests wait meanwhile. */
const LOOK = { commits: 64, milliseconds: 4 }
/** Looks before git is asked, which costs a seal and a process. */
const MOST_LOOKS = 8

/**
 * Follows first parents from a commit until `visit` returns an answer.
 * @param visit undefined to go on
 * @param inGit continues after {@link MOST_LOOKS} looks, from the commit that is next; without it the walk goes on here
 * @returns undefined when no commit is left
 */
export async function followFirstParents<T>(
  from: string,
  look: LookAtPast,
  visit: (past: RepositoryPast, id: string, commit: { time: number; parent: string | undefined }) => T | undefined,
  inGit?: (next: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  let next: string | undefined = from
  for (let looks = 1; ; looks++) {
    // Before the first look, too: many requests may begin in one turn.
    await nextTurn()
    const answer = await look(past => {
      const until = performance.now() + LOOK.milliseconds
      for (let commits = 0; past && next && commits < LOOK.commits && performance.now() < until; commits++) {
        const { time, parents } = readCommit(past.objects.commit(next))
        const found = visit(past, next, { time, parent: parents[0] })
        if (found !== undefined) return found
        next = parents[0]
      }
      if (past === undefined) next = undefined
      return undefined
    })
    if (answer !== undefined || next === undefined) return answer
    if (inGit && looks === MOST_LOOKS) return inGit(next)
  }
}

/**
 * Asks git about a commit and what precedes it. A commit in a pack needs no seal, so the answer comes on a full disk,
 * too.
 * @throws Failure as `runGit` and `ask`
 */
export async function askGit<T>(
  commit: string,
  look: LookAtPast,
  runGit: RunGit,
  ask: (gitDir: string) => Promise<T>,
): Promise<T> {
  const gitDir = await look(past => (past?.objects.isSealed(commit) ? past.gitDir : undefined))
  return gitDir === undefined ? runGit(ask) : ask(gitDir)
}
