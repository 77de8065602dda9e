/** A backup repository in a folder of this machine, as git gets it: without its config, hooks and attributes. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../disk.ts'
import type { GitResult } from '../git/git.ts'
import { type IsolatedGitDir, isolate } from '../git/isolated-git-dir.ts'

/**
 * Pushed objects survive a power loss; git's upkeep ends with its push, and leaves memory and processors to the server.
 */
export const FOLDER_SETTINGS =
  '[core]\n\tfsync = all\n[gc]\n\tautoDetach = false\n[pack]\n\tthreads = 1\n\twindowMemory = 64m\n'

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
