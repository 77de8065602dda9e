/** Refuses a second server on a data folder. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Failure } from '../bundle/errors.ts'

/**
 * Locks the data folder for this process alone. The lock is the kernel's (SQLite in exclusive mode). Unlike a lock file
 * with a time limit, it frees when the process dies, and a stalled process holds it.
 * @throws Failure `unavailable`, naming the folder, when another server holds it
 */
export function lockDataFolder(dataDir: string): { release(): void } {
  const path = join(dataDir, 'lock')
  const database = new Sqlite(path, { timeout: 0 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isJunk(error)) throw junk(path)
    if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error
    throw new Failure(
      'unavailable',
      `The data folder ${dataDir} is in use by another Parlance server; stop that one or choose another DATA_DIR.`,
      { dataDir },
    )
  }
  return { release: () => database.close() }
}

/** Whether a process holds the lock of {@link lockDataFolder}; neither locks nor creates it. */
export function isLocked(dataDir: string): boolean {
  const path = join(dataDir, 'lock')
  if (!existsSync(path)) return false
  const database = new Sqlite(path, { readonly: true, timeout: 0 })
  try {
    database.prepare('select 1 from sqlite_schema').get()
    return false
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true
    throw isJunk(error) ? junk(path) : error
  } finally {
    database.close()
  }
}

const isJunk = (error: unknown) => error instanceof Sqlite.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)

/** The lock holds no data, so nothing is lost with it. */
const junk = (path: string) =>
  new Failure('unavailable', `${path} is not the lock that Parlance creates there: remove it, it holds no data.`)
