/** git's own locks on refs and packed-refs, acquired beside people's git. A leftover lock blocks no change. */
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../bundle/errors.ts'
import { closeFile, codeOf, createFolder, openFile, removeFile, writeFile } from '../disk.ts'
import { BRANCH, pathOf } from './read-refs.ts'

/** The content of our locks. It distinguishes one that a kill left from a person's. */
const OURS = Buffer.from('parlance\n')
/** git holds a lock on a ref for milliseconds; an older one was left behind. */
const LEFT_MS = 3_000

const held = new Set<string>()
/** Locks of ours that the disk would not remove. They block no change. */
const stuck = new Set<string>()

/** Tries of a lock: the branch's while a person commits, others a second, as git's `core.packedRefsTimeout`. */
const ATTEMPTS = { branch: 20, others: 6 }
const AGAIN_MS = 200
/** Attempts to create a lock's folder: git may remove it before the lock is in it. */
const FOLDERS = 20

const branchLock = (gitDir: string) => `${pathOf(gitDir, BRANCH)}.lock`

/**
 * Acquires git's lock on the branch until {@link unlockBranch}. `git commit` beside a server then fails with git's own
 * message. Waits for a git that holds it now.
 * @throws Failure `unavailable` when that git does not end
 */
export const lockBranch = (gitDir: string): Promise<void> => lockSoon(branchLock(gitDir), ATTEMPTS.branch)

/** Gives the branch's lock back; one that is not ours stays. */
export const unlockBranch = (gitDir: string): Promise<void> => giveBack(branchLock(gitDir))

/**
 * Runs `change` under git's lock on a file.
 * @throws Failure `unavailable` while a person's git holds it; as `change`
 */
export async function locked(path: string, change: () => Promise<void>): Promise<void> {
  const lock = `${path}.lock`
  await lockSoon(lock, ATTEMPTS.others)
  try {
    await change()
  } finally {
    await giveBack(lock)
  }
}

async function lockSoon(lock: string, attempts: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await takeLock(lock)
    } catch (error) {
      await giveBack(lock)
      if (!(error instanceof Failure) || attempt === attempts) throw error
      await pause(AGAIN_MS)
    }
  }
}

/** Creates the lock's folder too: `git pack-refs` removes an empty one. */
async function takeLock(lock: string, attempts = FOLDERS): Promise<void> {
  try {
    await createFolder(dirname(lock))
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
    // The change under the lock is done.
    stuck.add(lock)
  }
}

/** Our changes run one at a time, so a kill left an existing lock of ours. Others are judged by age. */
async function isLeftover(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock)
    return mtimeMs < Date.now() - LEFT_MS || (await readFile(lock)).equals(OURS)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    throw error
  }
}
