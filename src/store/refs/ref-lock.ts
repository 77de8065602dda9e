/** git's own locks on refs and on packed-refs, taken beside people's git; one that a kill or the disk left behind stands in nobody's way. */
import { readFile, stat } from 'node:fs/promises'
import { Failure } from '../../bundle/errors.ts'
import { closeFile, codeOf, openFile, removeFile, writeFile } from '../disk.ts'

/** What our own locks hold, so that one left by a kill is told from that of a person's git. */
const OURS = Buffer.from('parlance\n')
/** git holds a lock on a ref for milliseconds. */
const LEFT_MS = 10_000

/** Locks that are ours at this moment. */
const held = new Set<string>()
/** Locks that were ours and that the disk did not let go: they stand in nobody's way. */
const stuck = new Set<string>()

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

async function takeLock(lock: string): Promise<void> {
  try {
    await closeFile(await openFile(lock, 'wx'))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if (!stuck.has(lock) && !(await isLeftover(lock))) {
      throw new Failure('unavailable', "Someone's git is changing the tags of this repository just now; try again.", {
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

/** Our changes come one at a time, so that a lock of ours was left by a kill; one that was not even written to is told by its age. */
async function isLeftover(lock: string): Promise<boolean> {
  try {
    const { size, mtimeMs } = await stat(lock)
    return size === 0 ? mtimeMs < Date.now() - LEFT_MS : (await readFile(lock)).equals(OURS)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    throw error
  }
}
