/** Durable file operations, asynchronous: every byte that the store promises to retain passes through here. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../bundle/errors.ts'

// Called as members of `fs`, never destructured: the power-loss test records what reaches the disk.
type Done<T> = (error: Error | null, result: T) => void
const call = <T>(start: (done: Done<T>) => void) =>
  new Promise<T>((resolve, reject) => start((error, result) => (error ? reject(error) : resolve(result))))
const perform = (start: (done: (error: Error | null) => void) => void) => call<void>(done => start(e => done(e)))

/** Linux can sync as it writes: one trip to the thread pool less per acknowledged batch. */
const SYNCS_ON_WRITE = platform() === 'linux'

export const openFile = (path: string, flags: string | number, mode = 0o644) =>
  call<number>(done => fs.open(path, flags, mode, done))
export const closeFile = (descriptor: number) => perform(done => fs.close(descriptor, done))
export const syncFile = (descriptor: number) => perform(done => fs.fsync(descriptor, done))
/** Renames a file or folder; durable after {@link syncFolder}. */
export const renameFile = (from: string, to: string) => perform(done => fs.rename(from, to, done))
export const truncateFile = (descriptor: number, length: number) =>
  perform(done => fs.ftruncate(descriptor, length, done))

export async function removeFile(path: string): Promise<void> {
  await ifThere(perform(done => fs.unlink(path, done)))
}

/** What a look at a file gives; undefined when there is none. @param codes of the system that also mean so */
export async function ifThere<T>(look: Promise<T>, ...codes: string[]): Promise<T | undefined> {
  try {
    return await look
  } catch (error) {
    if (['ENOENT', ...codes].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

/** Opens a file, created when absent, for reading and for {@link writeSynced}. */
export function openSynced(path: string): Promise<number> {
  const { O_RDWR, O_CREAT, O_DSYNC } = fs.constants
  return openFile(path, SYNCS_ON_WRITE ? O_RDWR | O_CREAT | O_DSYNC : O_RDWR | O_CREAT)
}

/** Writes all bytes at `position` into a descriptor of {@link openSynced}; durable when it resolves. */
export async function writeSynced(descriptor: number, bytes: Buffer, position: number): Promise<void> {
  await writeAll(descriptor, bytes, position)
  if (!SYNCS_ON_WRITE) await perform(done => fs.fdatasync(descriptor, done))
}

async function writeAll(descriptor: number, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += await call<number>(done =>
      fs.write(descriptor, bytes, written, bytes.length - written, position + written, done),
    )
  }
}

/** Writes a new file and syncs it unless `synced` is false. Its name is durable after {@link syncFolder}. */
export async function writeFile(path: string, bytes: Buffer, synced = true): Promise<void> {
  const descriptor = await openFile(path, 'w')
  try {
    await writeAll(descriptor, bytes, 0)
    if (synced) await syncFile(descriptor)
  } finally {
    await closeFile(descriptor)
  }
}

/**
 * Puts content at `path` whole or not at all: writes `temporary`, syncs and renames it. Durable after
 * {@link syncFolder}.
 */
export async function replaceFile(path: string, content: Buffer | string, temporary = `${path}.tmp`): Promise<void> {
  await writeFile(temporary, typeof content === 'string' ? Buffer.from(content) : content)
  await renameFile(temporary, path)
}

/** Syncs a folder's names (created, renamed, removed). */
export async function syncFolder(path: string): Promise<void> {
  // Windows has no descriptor for a folder; NTFS journals names itself.
  if (platform() === 'win32') return
  // Does not wait for a pipe that a person put in the folder's place.
  const { O_RDONLY, O_DIRECTORY = 0 } = fs.constants
  await syncAt(path, O_RDONLY | O_DIRECTORY)
}

/** Syncs what stands at a path, opened with these flags. */
export async function syncAt(path: string, flags: string | number): Promise<void> {
  const descriptor = await openFile(path, flags)
  await syncFile(descriptor).finally(() => closeFile(descriptor))
}

/**
 * Syncs a whole file system, as `sync -f`: for a thousand small files a hundredth of the time of each alone.
 * @returns false without such a program, or when it fails: then each file has to be synced
 */
export function syncFileSystem(path: string): Promise<boolean> {
  if (platform() !== 'linux') return Promise.resolve(false)
  return new Promise(resolve => {
    execFile('sync', ['-f', path], { timeout: SYNC_MS, killSignal: 'SIGKILL' }, error => resolve(error === null))
  })
}

/** Milliseconds for syncing all files. On a slower disk, only ours are synced. */
const SYNC_MS = 20_000

export async function syncTree(folder: string): Promise<void> {
  // Git's objects are read-only; Windows syncs only what is open for writing.
  const flags = platform() === 'win32' ? 'r+' : 'r'
  for (const entry of await fs.promises.readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await syncTree(path)
    else if (entry.isFile()) await syncAt(path, flags)
  }
  await syncFolder(folder)
}

/** Creates a folder with its parents and syncs their names. */
export async function createFolder(path: string): Promise<void> {
  const first = await call<string | undefined>(done => fs.mkdir(path, { recursive: true }, done))
  if (first === undefined) return
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder))
}

/** Creates a folder in an existing one: a repository that is away must not reappear empty. */
export async function createInside(path: string): Promise<void> {
  await perform(done => fs.mkdir(path, done)).catch(error => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

/**
 * Creates a folder named by a person, and those above; not yet durable. Node's `recursive` never ends where the system
 * denies a folder inside an existing one, as /proc does.
 * @returns the first folder created, undefined when it was there
 */
export async function createFolders(path: string): Promise<string | undefined> {
  const missing: string[] = []
  let folder = path
  for (; !fs.existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) missing.unshift(folder)
  // Reports a path that is there and is no folder.
  if (missing.length === 0) await perform(done => fs.mkdir(path, { recursive: true }, error => done(error)))
  for (const one of missing) {
    await perform(done => fs.mkdir(one, done)).catch(error => {
      // Another process created it meanwhile, or it is a link to nowhere, which the next one reports.
      if (codeOf(error) !== 'EEXIST' || !fs.existsSync(one)) throw error
    })
  }
  return missing[0]
}

/** The system's error code (`ENOENT`); undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** What a caller may hear of a failed disk operation; details belong in the log. */
export function diskFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  const [kind, why] = reasonOf(code)
  return new Failure(kind, `${why}; nothing was written.`, { cause: code })
}

/**
 * What a caller may hear when a write and its undoing failed: only here the server does not know what a restart finds.
 */
export function doubtfulFailure(error: unknown): Failure {
  const code = codeOf(error)
  const [kind, why] = reasonOf(code)
  const rest = 'this was refused, but may be there after a restart, since the disk did not let it be undone either.'
  return new Failure(kind, `${why}; ${rest}`, { cause: code, doubtful: true })
}

function reasonOf(code: string | undefined): ['no-space' | 'unavailable', string] {
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? ['no-space', 'The server has no disk space left']
    : ['unavailable', 'The server cannot write to its disk now']
}

const OF_THE_DISK = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'ENODEV',
  'ENXIO',
  'ESTALE',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EUCLEAN',
])

const RUN_OUT = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

/** Whether the system was out of descriptors or memory, which says nothing of the file. */
export function hasRunOut(error: unknown): boolean {
  return RUN_OUT.has(codeOf(error) ?? '')
}

/** {@link diskFailure} of disk errors and of a system that has run out; undefined for all else, such as our bugs. */
export function systemFailure(error: unknown): Failure | undefined {
  const code = error instanceof Failure ? String(error.data.cause) : codeOf(error)
  return OF_THE_DISK.has(code ?? '') ? diskFailure(error) : undefined
}
