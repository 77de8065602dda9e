/** Replaces files: a reader sees the old or the new content, never a part of it. */
import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Identifies this run: in containers all runs may have the same process id. */
const RUN = Math.floor(Math.random() * 2 ** 32)
  .toString(16)
  .padStart(8, '0')
const TEMPORARY = /^\.(.+)\.(\d+)-([0-9a-f]{8})-\d+\.tmp$/
let temporaryFiles = 0

/** The name of a temporary file beside a file. */
export const temporaryFor = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${process.pid}-${RUN}-${++temporaryFiles}.tmp`)

/**
 * Writes a temporary file beside a file and renames it over that one.
 * @param mode of the new file, independent of the umask; undefined: the default
 * @param isSynced whether the content is on the disk before the rename
 */
export async function replaceFile(path: string, bytes: Uint8Array, mode?: number, isSynced = false): Promise<void> {
  const temporary = temporaryFor(path)
  try {
    const file = fs.openSync(temporary, 'wx', mode)
    try {
      fs.writeFileSync(file, bytes)
      if (mode !== undefined) fs.fchmodSync(file, mode)
      if (isSynced) await promisify(fs.fsync)(file)
    } finally {
      fs.closeSync(file)
    }
    fs.renameSync(temporary, path)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
}

/** Removes temporary files of runs that were killed. @param isTarget whether a name in the folder is one of ours */
export function removeLeftovers(folder: string, isTarget: (name: string) => boolean): void {
  for (const name of namesIn(folder)) {
    const [, target = '', id, run] = TEMPORARY.exec(name) ?? []
    if (id === undefined || run === RUN || !isTarget(target)) continue
    if (Number(id) === process.pid || !isAlive(Number(id))) fs.rmSync(join(folder, name), { force: true })
  }
}

/** The names in a folder; none for a folder that is missing or unreadable. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
