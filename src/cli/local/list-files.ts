/** The files below a folder in which an app's own texts can be. */
import { execFile } from 'node:child_process'
import { type Dirent, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Folders of other people's files, and of built ones. */
const FOREIGN = new Set(['node_modules', 'bower_components', 'vendor', 'dist', 'build', 'out', 'coverage'])
/** Files that are looked at; those past it are not. */
export const MOST_FILES = 200_000

const isOwn = (folder: string): boolean => !FOREIGN.has(folder) && !folder.startsWith('.')

/** Relative to the root, with `/`: without folders of packages, built files, and what git ignores. */
export async function ownFiles(root: string): Promise<string[]> {
  const known = await listedByGit(root)
  // A folder that git ignores as a whole is looked into all the same.
  if (known === undefined || known.length === 0) return filesBelow(root, '')
  const isBelowOwn = (path: string) => path.split('/').slice(0, -1).every(isOwn)
  return known.filter(isBelowOwn).slice(0, MOST_FILES)
}

/** All files below a folder, as {@link ownFiles}, whatever git says. Links to folders are not followed. */
export function filesBelow(root: string, folder: string): string[] {
  const found: string[] = []
  const open = [folder]
  for (let at = open.shift(); at !== undefined && found.length < MOST_FILES; at = open.shift()) {
    for (const entry of entriesIn(join(root, at))) {
      const path = posix.join(at, entry.name)
      if (entry.isDirectory() && isOwn(entry.name)) open.push(path)
      else if (entry.isFile() || (entry.isSymbolicLink() && /\.\w+$/.test(entry.name))) found.push(path)
    }
  }
  return found.sort()
}

/** Nothing where it cannot be read: its owner keeps it from us. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Undefined outside of a repository, and without git. */
function listedByGit(root: string): Promise<string[] | undefined> {
  // A repository names programs that git would run to list its files.
  const words = ['-c', 'core.fsmonitor=false', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  return new Promise(resolve => {
    execFile('git', words, { cwd: root, maxBuffer: 256 * 1024 * 1024 }, (error, out) => {
      void resolve(error ? undefined : [...new Set(out.split('\0').filter(path => path !== ''))])
    })
  })
}
