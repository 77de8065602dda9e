/** git's own locks on refs and on packed-refs, taken beside people's git; one that a kill or the disk left behind stands in nobody's way. */
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../bundle/errors.ts'
import { closeFile, codeOf, makeFolder, openFile, removeFile, writeFile } from '../disk.ts'
import { BRANCH, pathOf } from './read-refs.ts'

/** What our own locks hold, so that one left by a kill is told from that of a person's git. */
const OURS = Buffer.from('parlance\n')
/** git holds a lock on a ref for milliseconds. */
const LEFT_MS = 3_000

/** Locks that are ours at this moment. */
const held = new Set<string>()
/** Locks that were ours and that the disk did not let go: they stand in nobody's way. */
const stuck = new Set<string>()

/** How often, and for how long between, a lock is asked for that is to be held for long. */
const ATTEMPTS = 20
const AGAIN_MS = 200

const branchLock = (gitDir: string) => `${pathOf(gitDir, BRANCH)}.lock`

/**
 * Takes git's own lock on the branch until {@link unlockBranch}, so that `git commit` beside a server fails with git's own message;
 * a git that is at it now, such as one that packs refs, is waited for.
 * @throws Failure `unavailable` when it does not end
 */
export async function lockBranch(gitDir: string): Promise<void> {
  const lock = branchLock(gitDir)
  for (let attempt = 1; ; attempt++) {
    try {
      return await takeLock(lock)
    } catch (error) {
      await giveBack(lock)
      if (!(error instanceof Failure) || attempt === ATTEMPTS) throw error
      await pause(AGAIN_MS)
    }
  }
}

/** Gives it back; one that is not ours stays. */
export const unlockBranch = (gitDir: string): Promise<void> => giveBack(branchLock(gitDir))

/** Runs `change` under git's own lock on a file. @throws Failure `unavailable` when a person's git holds it, and as `change` does */
export async function locked(path: string, change: () => Promise<void>): Promise<void> {
  const lock = `${path}.lock`
  try {
    await takeLock(lock)
    await change()
  } finally {
    await giveBack(lock)
  }
}

/** Makes the lock's folder, which a person's `git pack-refs` removes when it is empty. */
async function takeLock(lock: string, attempts = ATTEMPTS): Promise<void> {
  try {
    await makeFolder(dirname(lock))
    await closeFile(await openFile(lock, 'wx'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && attempts > 1) return takeLock(lock, attempts - 1)
    if (codeOf(error) !== 'EEXIST') throw error
    if (!stuck.has(lock) && !(await isLeftover(lock))) {
      throw new Failure('unavailable', "Someone's git is changing the refs of this repository just now; try again.", {
        retryAfter: 1,
      })
    }
  }
  held.add(lock)
  stuck.delete(lock)
  await writeFile(lock, OURS)
}

async function giveBack(lock: string): Promise<void> {
  if (!held.delete(lock)) return
  try {
    await removeFile(lock)
  } catch {
    // What was done under it is done.
    stuck.add(lock)
  }
}

/** Our changes come one at a time, so that a lock of ours was left by a kill; any other one that was is told by its age. */
async function isLeftover(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock)
    return mtimeMs < Date.now() - LEFT_MS || (await readFile(lock)).equals(OURS)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    throw error
  }
}
