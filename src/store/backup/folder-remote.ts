/**
 * Backups in a folder of this machine, never inside the data folder; missing repositories are created. git gets one
 * without its config, hooks and attributes.
 */
import { constants } from 'node:fs'
import { access, appendFile, mkdir, mkdtemp, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { codeOf, createFolders } from '../disk.ts'
import { type GitResult, initBare } from '../git/git.ts'
import { type IsolatedGitDir, isolate } from '../git/isolated-git-dir.ts'
import type { BackupRemote, RemoteFailure } from './remote.ts'

/**
 * Pushed objects survive a power loss; git's upkeep ends with its push, and leaves memory and processors to the server.
 */
const FOLDER_SETTINGS =
  '[core]\n\tfsync = all\n[gc]\n\tautoDetach = false\n[pack]\n\tthreads = 1\n\twindowMemory = 64m\n'

/**
 * Creates a file-system remote's missing bare repository, whole or not at all. The operator creates those of other
 * remotes.
 * @returns why there is none that can be written
 */
export async function createFolderRepository(remote: BackupRemote, id: string): Promise<RemoteFailure | undefined> {
  if (remote.kind !== 'file') return undefined
  const path = remote.address(id)
  if (await isRepository(path)) return unwritable(path, id)
  const unfinished = `${path}.new`
  try {
    await createFolders(dirname(path))
    await rm(unfinished, { recursive: true, force: true })
    // Its objects are the organization's: no other user of the machine need read them.
    await mkdir(unfinished, { mode: 0o700 })
    const init = await initBare(unfinished)
    if (init.code !== 0)
      return failure('failed', `git could not create the repository of the backup for ${id}.`, init.errors)
    await appendFile(join(unfinished, 'config'), FOLDER_SETTINGS)
    await rename(unfinished, path)
    return undefined
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => {})
    const code = codeOf(error)
    if (code === undefined) throw error
    const taken = code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR'
    if (taken) {
      return failure(
        'denied',
        `Where the backup of ${id} belongs is something that is no git repository.`,
        String(error),
      )
    }
    return refused(`The folder for the backup of ${id} cannot be created`, error)
  }
}

/** git reports a read-only disk like another user's repository. The system distinguishes them. */
async function unwritable(path: string, id: string): Promise<RemoteFailure | undefined> {
  try {
    for (const folder of ['objects', 'refs']) await access(join(path, folder), constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    return refused(`The repository of ${id} at the backup remote cannot be written`, error)
  }
}

function refused(what: string, error: unknown): RemoteFailure {
  const code = codeOf(error) ?? ''
  const full = code === 'ENOSPC' || code === 'EDQUOT'
  return failure(full ? 'full' : 'denied', `${what}: ${WHY[code] ?? 'the system refuses it'} (${code}).`, String(error))
}

const RIGHTS = 'the user that runs the server has no right to'
const WHY: Record<string, string> = {
  EROFS: 'it is mounted read-only',
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  ENOSPC: 'there is no space left',
  EDQUOT: 'its quota is used up',
  EIO: 'its disk fails',
}

const failure = (reason: RemoteFailure['reason'], sentence: string, words: string) => ({ reason, sentence, words })

/** A forbidden one counts as one: git would say that there is none. */
async function isRepository(path: string): Promise<boolean> {
  try {
    return (await stat(join(path, 'HEAD'))).isFile() && (await stat(join(path, 'objects'))).isDirectory()
  } catch (error) {
    return codeOf(error) === 'EACCES'
  }
}

/** Refuses a remote in or around the data folder: it would be lost with what it saves. @throws Failure `invalid` */
export async function refuseInside(remote: BackupRemote, dataDir: string): Promise<void> {
  if (remote.kind !== 'file') return
  const data = await realPath(dataDir)
  const backup = await realPath(remote.address('parlance-accounts'))
  if (!contains(data, backup) && !contains(backup, data)) return
  throw new Failure(
    'invalid',
    `The backup remote ${remote} lies in the data folder ${dataDir}, or around it: choose a place on another disk.`,
  )
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** The real path of what may not exist yet, or not be reached. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    // What is wrong with it shows when it is used.
    return dirname(path) === path ? path : join(await realPath(dirname(path)), basename(path))
  }
}

/** Where git looks for a repository below an address, in its order (`enter_repo`). */
const PLACES = ['.git', '', '.git/.git']

/**
 * @returns what git would say instead, where the folder holds no repository, or another user's
 * @throws Error of the system, when the folder cannot be read
 */
export async function openRemoteFolder(address: string): Promise<IsolatedGitDir | GitResult> {
  const gitDir = await findRepository(address)
  if (gitDir === undefined) return said(`'${address}' does not appear to be a git repository`)
  if (!(await isOwn(gitDir))) return said(`detected dubious ownership in repository at '${address}'`)
  try {
    const isolated = await isolate(gitDir, { settings: FOLDER_SETTINGS })
    return { ...isolated, named: text => isolated.named(text).replaceAll(gitDir, address) }
  } catch (error) {
    if (codeOf(error) === 'EACCES') return said(`${address}: Permission denied`)
    throw error
  }
}

const said = (words: string): GitResult => ({ code: 128, output: '', errors: `fatal: ${words}\n` })

async function findRepository(address: string): Promise<string | undefined> {
  for (const place of [...PLACES.map(name => join(address, name)), `${address}.git`]) {
    const isThere = async (name: string, isKind: 'isFile' | 'isDirectory') =>
      (await stat(join(place, name)).catch(() => undefined))?.[isKind]()
    if ((await isThere('HEAD', 'isFile')) && (await isThere('objects', 'isDirectory'))) return place
  }
  return undefined
}

/**
 * Whether a repository belongs to this server's user. A file system may give files another owner than the process has
 * (NFS, shares): then the owner of what the server creates there decides.
 */
async function isOwn(gitDir: string): Promise<boolean> {
  const user = process.getuid?.()
  const { uid } = await stat(gitDir)
  if (user === undefined || uid === user) return true
  // What belongs to root is the operator's.
  if (uid === 0) return true
  try {
    const probe = await mkdtemp(join(gitDir, 'parlance-owner-'))
    try {
      return (await stat(probe)).uid === uid
    } finally {
      await rm(probe, { recursive: true })
    }
  } catch {
    return false
  }
}
