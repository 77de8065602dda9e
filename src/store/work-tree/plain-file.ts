/** One file of the work tree: looked at, and read, without following links. */
import fs from 'node:fs'
import { join } from 'node:path'
import { blobId } from '../../bundle/canonical.ts'
import { MAX_FILE } from '../../bundle/file-size.ts'
import { codeOf, hasRunOut } from '../disk.ts'

/** What stands at a path. `stamp` changes with every write or replacement; `foreign` must not be opened. */
export type FileState =
  | { state: 'missing' }
  | { state: 'file'; stamp: string }
  | { state: 'foreign'; error: string; stamp: string }

export interface WorkTreeFile {
  state: 'content'
  id: string
  bytes: Buffer
  stamp: string
}

export type FileReading = WorkTreeFile | Exclude<FileState, { state: 'file' }>

/** The part of a stamp that linking and renaming leave alone. */
export const contentStamp = (stats: fs.Stats): string => `${stats.ino}:${stats.size}:${stats.mtimeMs}:`
export const stampOf = (stats: fs.Stats): string => `${contentStamp(stats)}${stats.ctimeMs}`

function foreign(error: string, stats?: fs.Stats): FileState {
  return { state: 'foreign', error, stamp: stats ? stampOf(stats) : '' }
}

/**
 * Looks at a path of the work tree. Every folder above must be real: a link could lead out of the organization.
 * @param path relative to `root`, with `/`
 */
export async function lookAtFile(root: string, path: string): Promise<FileState> {
  try {
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash)
      const stats = await fs.promises.lstat(join(root, folder))
      if (!stats.isDirectory()) return foreign(`${folder} is not a folder. Replace it by one.`, stats)
    }
    return describe(await fs.promises.lstat(join(root, path)))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'missing' }
    if (hasRunOut(error)) throw error
    return foreign(`The file cannot be looked at (${code}).`)
  }
}

/** {@link lookAtFile} above a path, synchronously: measured, a tenth of the cost of five trips to the thread pool. */
export function foldersAbove(root: string, path: string): 'real' | 'missing' | 'foreign' {
  for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
    const stats = fs.lstatSync(join(root, path.slice(0, slash)), { throwIfNoEntry: false })
    if (!stats) return 'missing'
    if (!stats.isDirectory()) return 'foreign'
  }
  return 'real'
}

/** The stamp at a path, `missing`, or the code of an obstacle. Unlike {@link lookAtFile} it follows links above. */
export function stampNow(root: string, path: string): string {
  try {
    const stats = fs.lstatSync(join(root, path), { throwIfNoEntry: false })
    return stats ? stampOf(stats) : 'missing'
  } catch (error) {
    if (!isObstacle(error)) throw error
    return String(codeOf(error))
  }
}

/** Errors that a person's files may cause; any other is the disk's. */
const OBSTACLES = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'EACCES', 'EPERM', 'ELOOP'])

/** Whether an error is about what stands at or above a path, not about the disk. */
export function isObstacle(error: unknown): boolean {
  return OBSTACLES.has(codeOf(error) ?? '')
}

function describe(stats: fs.Stats): FileState {
  if (!stats.isFile())
    return foreign('This is not a plain file (a link, folder or device); replace it by a file.', stats)
  if (stats.size > MAX_FILE) {
    return foreign(`The file has ${stats.size} bytes; the limit is ${MAX_FILE}.`, stats)
  }
  return { state: 'file', stamp: stampOf(stats) }
}

export async function readContent(root: string, path: string): Promise<FileReading> {
  const found = await lookAtFile(root, path)
  if (found.state !== 'file') return found
  try {
    return readPlain(join(root, path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { state: 'missing' }
    if (hasRunOut(error)) throw error
    return { state: 'foreign', error: `The file cannot be read (${codeOf(error)}).`, stamp: found.stamp }
  }
}

/**
 * Reads synchronously, so that nothing comes between reading and acting. Follows no link. @throws the system's error
 */
export function readPlain(absolute: string): FileReading {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  // Without O_NONBLOCK, opening a FIFO in the file's place would hang until someone writes to it.
  const descriptor = fs.openSync(absolute, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0))
  try {
    const stats = fs.fstatSync(descriptor)
    const found = describe(stats)
    if (found.state !== 'file') return found
    const bytes = Buffer.allocUnsafe(stats.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = fs.readSync(descriptor, bytes, length, bytes.length - length, length)
    }
    const whole = bytes.subarray(0, length)
    return { state: 'content', id: blobId(whole), bytes: whole, stamp: found.stamp }
  } finally {
    fs.closeSync(descriptor)
  }
}
