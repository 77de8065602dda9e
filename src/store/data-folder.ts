/** The data folder as a whole: which version of its layout it has, so that no server writes into what it does not know, and why it cannot be used. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { codeOf, renameFile, replaceFile, syncFolder, syncTree } from './disk.ts'

/** The version that this server reads and writes: to be raised, with a step in {@link STEPS}, whenever an older server would harm a folder. */
export const DATA_VERSION = 1
/** The file that holds it, as a number and a line break. */
export const VERSION_FILE = 'version'

/** How a folder of the version before becomes one of the version `to`. */
export interface Step {
  to: number
  /** What it changes, relative to the data folder: copied to `before-<to>` first. */
  changes: readonly string[]
  /** May have been killed half way and begun again: it does nothing where it is done. */
  run(dataDir: string): Promise<void>
}

/** A folder without a mark is as the first one with it. (SQLite's tables have a version of their own, which the accounts bring up to date.) */
const STEPS: readonly Step[] = [{ to: 1, changes: [], run: async () => {} }]

/**
 * The version of a data folder; 0 of one from before there were versions, undefined of one that holds nothing yet.
 * @throws Failure `unavailable` when the mark says nothing that can be understood
 */
export function readDataVersion(dataDir: string): number | undefined {
  const path = join(dataDir, VERSION_FILE)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
    return ['parlance.sqlite', 'organizations'].some(name => existsSync(join(dataDir, name))) ? 0 : undefined
  }
  if (/^[1-9]\d{0,8}\n?$/.test(text)) return Number(text)
  throw new Failure(
    'unavailable',
    `${path} holds ${JSON.stringify(text.slice(0, 20))} in place of a version: if this Parlance wrote it last, write ${DATA_VERSION} and a line break into it.`,
  )
}

/** @throws Failure `unavailable` for a folder that a newer server has written, and as {@link readDataVersion} does */
export function refuseNewer(dataDir: string): void {
  const version = readDataVersion(dataDir) ?? 0
  if (version > DATA_VERSION) throw newer(`The data folder ${dataDir}`, version)
}

/** What is said of something written in a version that this server does not know. */
export function newer(what: string, version: number): Failure {
  const known = `version ${version}, this one knows ${DATA_VERSION}`
  return new Failure(
    'unavailable',
    `${what} was written by a newer Parlance (${known}): run that one, or restore a backup from before into an empty folder.`,
    { version },
  )
}

/**
 * Brings a folder, which must be locked, to the present version, step by step; each counts once its mark is on the disk.
 * @throws Failure as {@link refuseNewer} does
 */
export async function migrateDataFolder(dataDir: string, steps: readonly Step[] = STEPS): Promise<void> {
  const last = steps.at(-1)!.to
  const version = readDataVersion(dataDir) ?? last
  if (version > last) throw newer(`The data folder ${dataDir}`, version)
  for (const step of steps) {
    if (step.to <= version) continue
    await copyAway(dataDir, step)
    await step.run(dataDir)
    await writeDataVersion(dataDir, step.to)
  }
  if (!existsSync(join(dataDir, VERSION_FILE))) await writeDataVersion(dataDir, last)
}

/** Marks a folder; on the disk when it resolves. */
export async function writeDataVersion(dataDir: string, version: number): Promise<void> {
  const path = join(dataDir, VERSION_FILE)
  await replaceFile(path, Buffer.from(`${version}\n`), `${path}.tmp`)
  await syncFolder(dataDir)
}

/** A copy that is there whole or not at all; one that is there is from before a step that was cut short, and stays. */
async function copyAway(dataDir: string, { to, changes }: Step): Promise<void> {
  const copy = join(dataDir, `before-${to}`)
  const present = changes.filter(name => existsSync(join(dataDir, name)))
  if (present.length === 0 || existsSync(copy)) return
  const unfinished = `${copy}.tmp`
  await rm(unfinished, { recursive: true, force: true })
  for (const name of present)
    await cp(join(dataDir, name), join(unfinished, name), { recursive: true, preserveTimestamps: true })
  await syncTree(unfinished)
  await renameFile(unfinished, copy)
  await syncFolder(dataDir)
}

/** Why a data folder cannot be opened, for whoever starts a server on it; `error` as it is when it is nothing of the system's. */
export function whyUnusable(dataDir: string, error: unknown): unknown {
  if (error instanceof Failure) return error
  const code = codeOf(error) === 'ENOENT' ? (accessCode(dataDir) ?? 'ENOENT') : codeOf(error)
  const { path = dataDir } = error as NodeJS.ErrnoException
  const refuse = (sentence: string) => new Failure('unavailable', sentence, { cause: code })
  if (code === undefined) return error
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(code)) {
    return refuse(`The disk of the data folder ${dataDir} is full: make room and start again.`)
  }
  if (/^(EROFS|SQLITE_READONLY.*)$/.test(code)) {
    return refuse(
      `The data folder ${dataDir} cannot be written (${code}): make its file system writable, or choose another DATA_DIR.`,
    )
  }
  if (/^(EACCES|EPERM|SQLITE_CANTOPEN.*|SQLITE_AUTH|SQLITE_PERM)$/.test(code)) {
    const why = accessCode(dataDir) ?? code
    if (why === 'EROFS') return whyUnusable(dataDir, Object.assign(new Error(), { code: why }))
    return refuse(
      `${path} cannot be read and written by the user that the server runs as (${why}): change its owner or its mode.`,
    )
  }
  if (/^(EEXIST|ENOTDIR)$/.test(code)) {
    return refuse(`${path} cannot be used, for it is no folder: move it away, or choose another DATA_DIR.`)
  }
  if (code === 'ENOENT') {
    return refuse(`${path} cannot be made there (ENOENT): choose another DATA_DIR.`)
  }
  if (/^(EIO|SQLITE_IOERR.*)$/.test(code))
    return refuse(`The disk of the data folder ${dataDir} fails (${code}): look at the system's log.`)
  return error
}

/** Why the folder, or what it would be made in, cannot be written. */
function accessCode(dataDir: string): string | undefined {
  let folder = dataDir
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}
