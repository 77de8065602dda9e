/**
 * What the git processes that work in a folder use: memory at its peak and processor time, from the system's own books.
 */
import fs from 'node:fs'
import { processesIn } from '../store/git-processes.ts'

const EVERY_MS = 10
/** Linux counts processor time in hundredths of a second. */
const TICK_SECONDS = 0.01

export interface Usage {
  /** The most resident memory of all of them together, in MB; pages that two of them share count twice. */
  peak: number
  /** Of those, what is no file's. */
  anonymous: number
  /** Processor time, in seconds. */
  cpu: number
  /** In milliseconds, of the whole. */
  wall: number
}

/** Runs `work` and watches processes with a working directory of `folders`. */
export async function watchGit(folders: string[], work: () => Promise<unknown>): Promise<Usage> {
  const cpu = new Map<number, number>()
  const usage = { peak: 0, anonymous: 0 }
  const look = () => {
    let [all, anonymous] = [0, 0]
    for (const id of folders.flatMap(processesIn)) {
      const status = read(`/proc/${id}/status`)
      all += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
      anonymous += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0)
      const stat = read(`/proc/${id}/stat`).split(') ')[1]?.split(' ') ?? []
      cpu.set(id, (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) * TICK_SECONDS)
    }
    usage.peak = Math.max(usage.peak, all / 1024)
    usage.anonymous = Math.max(usage.anonymous, anonymous / 1024)
  }
  const watching = setInterval(look, EVERY_MS)
  const from = performance.now()
  try {
    await work()
  } finally {
    clearInterval(watching)
  }
  return { ...usage, cpu: [...cpu.values()].reduce((sum, seconds) => sum + seconds, 0), wall: performance.now() - from }
}

/** A process may end while it is looked at. */
function read(path: string): string {
  try {
    return fs.readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
