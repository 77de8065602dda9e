/** Brings a whole data folder back from the remote that a server backed up to. */
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { VERSION_FILE, writeDataVersion } from '../data-folder.ts'
import { codeOf, createFolders, syncFolder } from '../disk.ts'
import { requireGit } from '../git/git.ts'
import { lockDataFolder } from '../lock.ts'
import { type Logger, SILENT } from '../log.ts'
import { ACCOUNTS, type AccountsManifest, DATABASE_FILE } from './accounts.ts'
import { fetchAccounts, fetchOrganization } from './fetch.ts'
import type { BackupRemote, RemoteFailure } from './remote.ts'

export interface RestoreOptions {
  remote: BackupRemote
  /** Absolute path of a folder that is absent or empty. */
  dataDir: string
  log?: Logger
  /** Ends it; nothing is left then. */
  signal?: AbortSignal
  progress?: (organization: RestoredOrganization, done: number, of: number) => void
}

interface RestoredOrganization {
  id: string
  /** Its last revision; null when nothing was written or pushed yet. */
  revision: string | null
  tags: number
}

interface RestoredData {
  /** When the accounts were last backed up, ISO 8601. */
  accountsAt: string
  organizations: RestoredOrganization[]
}

const AT_ONCE = 3
/** Where everything is put together; the next restore clears what a killed one left. */
const STAGING = 'restoring'
/** Allowed in an empty data folder: the lock's files, and what a checkout of the sources has there. */
const NOTHING = /^(lock(-journal)?|\.gitignore|restoring)$/
/** In this order: to a server the folder is new as long as the accounts are missing. */
const PARTS = ['organizations', 'backup', VERSION_FILE, DATABASE_FILE]

/**
 * Restores accounts and organizations, but no sign-ins nor their secret: everyone signs in again with the same
 * password; API tokens go on working. All or nothing: after a failure the folder is as it was.
 * @throws Failure `conflict` for a folder that is not empty; `unavailable` for one in use or a remote that fails
 * @throws Failure `not-found` when the remote lacks what it must have; `unsupported` without git
 */
export async function restoreDataFolder(options: RestoreOptions): Promise<RestoredData> {
  await requireGit('A restore')
  const { dataDir } = options
  const made = await createFolders(dataDir)
  const before = await readdir(dataDir)
  const lock = lockDataFolder(dataDir)
  const staging = join(dataDir, STAGING)
  try {
    const present = before.filter(name => !NOTHING.test(name))
    if (present.length > 0) {
      const names = present.slice(0, 3).join(', ')
      throw new Failure('conflict', `The data folder ${dataDir} is not empty (${names}): restore into an empty one.`)
    }
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { mode: 0o700 })
    await mkdir(join(staging, 'organizations'))
    const restored = await fetchAll(options, staging)
    await moveUp(staging, dataDir)
    lock.release()
    return restored
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    lock.release()
    if (!before.includes('lock')) await rm(join(dataDir, 'lock'), { force: true })
    if (made !== undefined) await removeEmpty(dataDir, made)
    throw error
  }
}

async function fetchAll(options: RestoreOptions, staging: string): Promise<RestoredData> {
  const { remote, log = SILENT, signal } = options
  const stop = new AbortController()
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const fail = (id: string, failure: RemoteFailure): never => {
    either.throwIfAborted()
    log.warn({ id, git: failure.words }, failure.sentence)
    if (failure.reason !== 'missing') throw new Failure('unavailable', failure.sentence)
    throw new Failure('not-found', `The remote ${remote} has no repository for ${id}, so nothing was restored.`)
  }
  const accounts = await fetchAccounts(remote, staging, either)
  if ('reason' in accounts) return fail(ACCOUNTS, accounts)
  const { createdAt, organizations, dataVersion = 1 }: AccountsManifest = accounts
  // A backup of an older version stays so here: the next start brings it up to date.
  await writeDataVersion(staging, dataVersion)
  log.info({ createdAt, organizations: organizations.length }, 'the accounts are here')

  const waiting = [...organizations]
  const restored: RestoredOrganization[] = []
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const folder = join(staging, 'organizations', id)
      let result: RestoredOrganization | RemoteFailure = await fetchOrganization(remote, id, folder, either)
      if ('reason' in result) {
        if (result.reason !== 'missing' || !accounts.empty.includes(id)) return fail(id, result)
        result = { id, revision: null, tags: 0 }
      }
      restored.push(result)
      options.progress?.(result, restored.length, organizations.length)
    }
  }
  // The first failure ends the others; all are waited for, so that none writes what is cleared away.
  await Promise.all(Array.from({ length: AT_ONCE }, () => work().catch(error => stop.abort(error))))
  either.throwIfAborted()
  return { accountsAt: createdAt, organizations: restored.sort((a, b) => (a.id < b.id ? -1 : 1)) }
}

async function moveUp(staging: string, dataDir: string): Promise<void> {
  const moved: string[] = []
  try {
    for (const name of PARTS) {
      await rename(join(staging, name), join(dataDir, name))
      moved.push(name)
    }
  } catch (error) {
    for (const name of moved.reverse()) await rename(join(dataDir, name), join(staging, name))
    throw error
  }
  await syncFolder(dataDir)
  await rm(staging, { recursive: true, force: true })
}

/** Removes the new folders up to the first of them; one that someone else has used stays. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  for (let path = folder; path.length >= first.length; path = dirname(path)) {
    try {
      await rmdir(path)
    } catch (error) {
      if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return
      throw error
    }
  }
}
