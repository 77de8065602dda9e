/** Lists the files below a folder that may hold an app's own texts. */
import { execFile } from 'node:child_process'
import { type Dirent, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Folders of packages and of built files. */
const FOREIGN = new Set(['node_modules', 'bower_components', 'vendor', 'dist', 'build', 'out', 'coverage'])
/** Maximum files. */
export const MAX_FILES = 200_000

const isOwn = (folder: string): boolean => !FOREIGN.has(folder) && !folder.startsWith('.')

/** Lists paths relative to the root, without packages, built files and files that git ignores. */
export async function ownFiles(root: string): Promise<string[]> {
  const known = await listedByGit(root)
  // A folder that git ignores as a whole is searched too.
  if (known === undefined || known.length === 0) return filesBelow(root, '')
  const isBelowOwn = (path: string) => path.split('/').slice(0, -1).every(isOwn)
  return known.filter(isBelowOwn).slice(0, MAX_FILES)
}

/** Lists all files as {@link ownFiles}, including those that git ignores. Links to folders are not followed. */
export function filesBelow(root: string, folder: string): string[] {
  const found: string[] = []
  const open = [folder]
  for (let at = open.shift(); at !== undefined && found.length < MAX_FILES; at = open.shift()) {
    for (const entry of entriesIn(join(root, at))) {
      const path = posix.join(at, entry.name)
      if (entry.isDirectory() && isOwn(entry.name)) open.push(path)
      else if (entry.isFile() || (entry.isSymbolicLink() && /\.\w+$/.test(entry.name))) found.push(path)
    }
  }
  return found.sort()
}

/** Empty for an unreadable folder. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Undefined outside a repository or without git. */
function listedByGit(root: string): Promise<string[] | undefined> {
  // The config of a repository may name a program that git would run.
  const words = ['-c', 'core.fsmonitor=false', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  return new Promise(resolve => {
    execFile('git', words, { cwd: root, maxBuffer: 256 * 1024 * 1024 }, (error, out) => {
      void resolve(error ? undefined : [...new Set(out.split('\0').filter(path => path !== ''))])
    })
  })
}
