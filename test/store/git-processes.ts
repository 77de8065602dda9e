/** The processes that work in a folder, by Linux: for the tests of a vanished reader. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'

/** Why such tests are skipped, false where they can run. */
export const noProcesses = platform() === 'linux' ? false : 'processes are found by /proc, which only Linux has'

/** The ids of the processes with their working directory in `folder`. */
export function processesIn(folder: string): number[] {
  const ids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return ids.map(Number).filter(id => `${folderOf(id)}/`.startsWith(`${folder}/`))
}

/** The repository that a process works in, through our links or not; undefined when it is gone, or another user's. */
export function folderOf(id: number): string | undefined {
  try {
    const folder = readlinkSync(`/proc/${id}/cwd`)
    try {
      return dirname(readlinkSync(join(folder, 'objects')))
    } catch {
      return folder
    }
  } catch {
    return undefined
  }
}

/** How many bytes a process has handed to write(2). */
export function bytesWritten(id: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${id}/io`, 'latin1'))?.[1])
}
