/** One command at a time in an app's folder: the older of two pulls must not overwrite what the newer one wrote. */
import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { removeLeftovers } from '../local/replace-file.ts'
import { hideNodeWarnings } from '../node-warnings.ts'
import { Problem } from '../problem.ts'
import { failed, stateFolder } from './state.ts'

/** Milliseconds that a command waits for another one. */
const MAX_WAIT = 10_000
/** Milliseconds between two attempts. */
const INTERVAL = 50
/** SQLite's code for a file that another connection has locked. */
const BUSY = 5

/**
 * Runs a command while no other one runs in the folder. The lock is that of an empty SQLite file: the system releases
 * it when the process ends, also by `kill -9`.
 * @param readsOnly whether it writes nothing: then it needs no lock
 * @throws Problem when another command does not end
 */
export async function withFolderLock<T>(
  root: string,
  stop: AbortSignal,
  run: () => Promise<T>,
  readsOnly = false,
): Promise<T> {
  if (readsOnly) return run()
  const folder = stateFolder(root)
  const lock = await acquire(root, folder, stop)
  try {
    removeLeftovers(folder, () => true)
    return await run()
  } finally {
    lock.close()
  }
}

async function acquire(root: string, folder: string, stop: AbortSignal): Promise<DatabaseSync> {
  const showWarnings = hideNodeWarnings()
  const { DatabaseSync } = await import('node:sqlite').finally(showWarnings)
  for (let waited = 0; ; waited += INTERVAL) {
    stop.throwIfAborted()
    const lock = openLock(DatabaseSync, folder)
    try {
      // A journal on the disk would look foreign to the next command.
      lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
      return lock
    } catch (error) {
      lock.close()
      if ((error as { errcode?: number }).errcode !== BUSY) throw failed(error, folder)
    }
    if (waited >= MAX_WAIT) {
      throw new Problem(`Another command is at work in ${root}.`, { hint: 'Wait for its end, then try again.' })
    }
    await pause(INTERVAL, undefined, { signal: stop })
  }
}

function openLock(Database: typeof DatabaseSync, folder: string): DatabaseSync {
  try {
    // Ours is an empty file. A repository may hold a link or a database of its own by this name.
    for (const name of ['lock', 'lock-journal', 'lock-wal', 'lock-shm']) {
      // Another command may remove it meanwhile.
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
      if (stats && (!stats.isFile() || stats.size > 0)) rmSync(join(folder, name), { recursive: true, force: true })
    }
    return new Database(join(folder, 'lock'))
  } catch (error) {
    throw failed(error, folder)
  }
}
