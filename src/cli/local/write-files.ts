/** Writes files. Readers see the old or the new content, and so does a person after a crash. */
import fs, { constants } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { Problem } from '../problem.ts'
import { shortList } from '../terminal/table.ts'
import { refuseCaseTwins } from './case-twins.ts'
import { removeLeftovers, replaceFile, temporaryFor } from './replace-file.ts'
import type { FileContent } from './types.ts'

/** Sentences for errors of the system. */
const WORDS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota of the disk is used up',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
}

/** Files that are written at once: they wait for the disk together. Ctrl-C stops the next ones. */
const CONCURRENCY = 8

/**
 * Writes or removes files, and creates their folders. A replaced file retains its mode and is synced. A link within the
 * root is followed. Calls are synchronous, since a thread of the pool would cost more than a small file.
 * @param stop Ctrl-C: written files stay, further ones are not begun
 * @returns the written paths, in their order
 * @throws Problem with the file that could not be written, and the written ones in `data.written`
 */
export async function writeFiles(root: string, files: readonly FileContent[], stop: AbortSignal): Promise<string[]> {
  const whole = new Set<string>()
  makeFolder(root)
  const real = fs.realpathSync(root)
  refuseCaseTwins(
    files.flatMap(({ path, bytes }) => (bytes === null ? [] : path)),
    real,
  )
  clear(real, files)
  const waiting = files.values()
  const folders = new Map<string, string>()
  let failed: { path: string; error: unknown } | undefined
  const work = async () => {
    for (const { path, bytes } of waiting) {
      await new Promise(setImmediate)
      if (failed || stop.aborted) return
      try {
        if (bytes === null) remove(real, path)
        else {
          const { path: target, mode } = targetOf(real, path, folders)
          // A present file may have texts that exist nowhere else. A new one has the server's texts alone.
          await replaceFile(target, bytes, mode && mode & 0o7777, mode !== undefined)
        }
        whole.add(path)
      } catch (error) {
        failed ??= { path, error }
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  const written = files.map(({ path }) => path).filter(path => whole.has(path))
  if (failed) {
    const { path, error } = failed
    if (error instanceof Problem) throw unfinished(error.message, files, written, path)
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw unfinished(`It cannot be written: ${WORDS[code] ?? code}.`, files, written, path, error)
  }
  if (written.length < files.length) throw unfinished('Stopped', files, written)
  return written
}

function unfinished(
  sentence: string,
  files: readonly FileContent[],
  written: string[],
  file?: string,
  cause?: unknown,
): Problem {
  const left = files.length - written.length
  const hint = written.length > 0 ? `Written, and whole: ${shortList(written)}.` : 'No file was changed.'
  const message = file === undefined ? `${sentence} before ${left} of ${files.length} files were written.` : sentence
  return new Problem(message, { file, hint, cause, data: { written } })
}

/**
 * Checks that files can be written.
 * @param paths relative to the root
 * @throws Problem with the file
 */
export function checkWritable(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    try {
      checkPlace(join(root, path))
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      throw new Problem(`It cannot be written: ${WORDS[code] ?? code}.`, { file: path, cause: error })
    }
  }
}

function checkPlace(path: string): void {
  if (fs.statSync(path, { throwIfNoEntry: false })) {
    // Opens it without a change.
    fs.closeSync(fs.openSync(path, 'r+'))
  }
  let folder = dirname(path)
  while (!fs.lstatSync(folder, { throwIfNoEntry: false })) folder = dirname(folder)
  const probe = temporaryFor(join(folder, 'parlance'))
  fs.closeSync(fs.openSync(probe, 'wx'))
  fs.rmSync(probe)
}

/** A path without links, and the mode of the present file. */
interface Target {
  path: string
  mode: number | undefined
}

/**
 * Creates a folder and its parents. Node's recursive `mkdir` never ends where the system refuses folders, as below
 * /proc.
 * @throws Error of the system
 */
export function makeFolder(path: string, mode?: number): void {
  if (fs.existsSync(path)) return
  makeFolder(dirname(path), mode)
  try {
    fs.mkdirSync(path, mode)
  } catch (error) {
    // Another process was faster.
    if (!fs.existsSync(path)) throw error
  }
}

/**
 * Creates a folder of the root.
 * @returns its real path
 * @throws Problem for a folder outside the root, before creating any
 */
export function folderOf(root: string, path: string): string {
  let there = path
  while (!fs.existsSync(there)) there = dirname(there)
  within(root, fs.realpathSync(there))
  makeFolder(path)
  return within(root, fs.realpathSync(path))
}

/** Deletes a file, or a link to one. @throws Problem for a folder outside the root */
function remove(root: string, path: string): void {
  const folder = dirname(join(root, path))
  if (fs.existsSync(folder)) fs.rmSync(join(within(root, fs.realpathSync(folder)), basename(path)), { force: true })
}

/**
 * Follows the links of a path.
 * @param root without links
 * @param folders real paths of known folders
 * @throws Problem for a link out of the root
 */
function targetOf(root: string, path: string, folders: Map<string, string>): Target {
  const given = join(root, path)
  const folder = folders.get(dirname(given)) ?? folderOf(root, dirname(given))
  folders.set(dirname(given), folder)
  const target = join(folder, basename(given))
  const mode = modeOf(target, fs.lstatSync)
  if (mode === undefined || !isLink(mode)) return { path: target, mode }
  try {
    const real = within(root, fs.realpathSync(target))
    return { path: real, mode: modeOf(real, fs.statSync) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Problem('It is a link that leads nowhere; remove it, or create its target.')
  }
}

const isWithin = (root: string, path: string) => relative(root, path).split(sep)[0] !== '..'

/** @throws Problem for a path outside the root */
function within(root: string, path: string): string {
  if (isWithin(root, path)) return path
  throw new Problem(`It leads out of this folder, to ${path}; write there from its own folder, or remove the link.`)
}

const modeOf = (path: string, look: typeof fs.statSync) => look(path, { throwIfNoEntry: false })?.mode

const isLink = (mode: number) => (mode & constants.S_IFMT) === constants.S_IFLNK

/** Removes what killed runs left beside these files. @param root without links */
function clear(root: string, files: readonly FileContent[]): void {
  const byFolder = Map.groupBy(files, ({ path }) => dirname(join(root, path)))
  for (const [folder, inFolder] of byFolder) {
    if (!fs.existsSync(folder) || !isWithin(root, fs.realpathSync(folder))) continue
    const names = new Set(inFolder.map(({ path }) => basename(path)))
    removeLeftovers(folder, name => names.has(name))
  }
}
