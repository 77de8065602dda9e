/** git's own lock on the branch, held while a server runs, so that `git commit` beside it fails with git's own message. */
import { pathOf } from './refs/loose-refs.ts'
import { BRANCH } from './refs/read-refs.ts'
import { lock, unlock } from './refs/ref-lock.ts'

/** Takes it, once a person's git is through: one that packs refs removes the branch's file under this lock. @throws Failure as {@link lock} does */
export const lockBranch = (gitDir: string): Promise<void> => lock(pathOf(gitDir, BRANCH))

/** Gives it back; one that is not there is fine. */
export const unlockBranch = (gitDir: string): Promise<void> => unlock(pathOf(gitDir, BRANCH))
