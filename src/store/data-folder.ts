/** The data folder: its layout's version, which refuses strange servers, and why it is unusable. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { codeOf, renameFile, replaceFile, syncFolder, syncTree } from './disk.ts'

/** The version read and written here. Raise it, with a step in {@link STEPS}, when an older server would do harm. */
export const DATA_VERSION = 1
/** The file of the version: a number and a line break. */
export const VERSION_FILE = 'version'

/** How a folder of the version before becomes one of version `to`. */
export interface MigrationStep {
  to: number
  /** What it changes, relative to the data folder; copied to `before-<to>` first. */
  changes: readonly string[]
  /** May run again after a kill half way: it skips what is done. */
  run(dataDir: string): Promise<void>
}

/** A folder without a mark is as the first version. (The accounts migrate their own SQLite tables.) */
const STEPS: readonly MigrationStep[] = [{ to: 1, changes: [], run: async () => {} }]

/**
 * A data folder's version; 0 from before there were versions, undefined for one that holds nothing yet.
 * @throws Failure `unavailable` for an unreadable mark
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

/** @throws Failure `unavailable` for a folder of a newer server, and as {@link readDataVersion} does */
export function refuseNewer(dataDir: string): void {
  const version = readDataVersion(dataDir) ?? 0
  if (version > DATA_VERSION) throw newer(`The data folder ${dataDir}`, version)
}

/** The failure for something written in a version unknown here. */
export function newer(what: string, version: number): Failure {
  const known = `version ${version}, this one knows ${DATA_VERSION}`
  return new Failure(
    'unavailable',
    `${what} was written by a newer Parlance (${known}): run that one, or restore a backup from before into an empty folder.`,
    { version },
  )
}

/**
 * Brings a locked folder to the present version; a step counts once its mark is on the disk.
 * @throws Failure as {@link refuseNewer} does
 */
export async function migrateDataFolder(dataDir: string, steps: readonly MigrationStep[] = STEPS): Promise<void> {
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

export async function writeDataVersion(dataDir: string, version: number): Promise<void> {
  await replaceFile(join(dataDir, VERSION_FILE), `${version}\n`)
  await syncFolder(dataDir)
}

/** Copies whole or not at all. An existing copy is from before an interrupted step, and stays. */
async function copyAway(dataDir: string, { to, changes }: MigrationStep): Promise<void> {
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

/** Why a data folder cannot be opened; an `error` that is not the system's stays as it is. */
export function whyUnusable(dataDir: string, error: unknown): unknown {
  if (error instanceof Failure) return error
  const code = codeOf(error) === 'ENOENT' ? (accessCode(dataDir) ?? 'ENOENT') : codeOf(error)
  const { path = dataDir } = error as NodeJS.ErrnoException
  const refuse = (sentence: string) => new Failure('unavailable', sentence, { cause: code })
  if (code === undefined) return error
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(code)) {
    return refuse(`The disk of the data folder ${dataDir} is full: free some space and start again.`)
  }
  if (/^(EROFS|SQLITE_READONLY.*)$/.test(code)) {
    return refuse(
      `The data folder ${dataDir} cannot be written (${code}): mount its file system writable, or choose another DATA_DIR.`,
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
    return refuse(`${path} cannot be created there (ENOENT): choose another DATA_DIR.`)
  }
  if (/^(EIO|SQLITE_IOERR.*)$/.test(code))
    return refuse(`The disk of the data folder ${dataDir} fails (${code}): look at the system's log.`)
  return error
}

/** Why the folder, or the one above a missing one, cannot be written. */
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
