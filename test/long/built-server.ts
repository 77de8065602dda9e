/**
 * The built server as a process of its own, as users run it, and what it holds of the machine: memory and file
 * descriptors.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { addressOf, type Ended, kill, launch } from '../contract/process.ts'
import { eventually, Server } from '../contract/server.ts'

/** Why what looks into a process is skipped, false where it can run. */
export const noProc = platform() === 'linux' ? false : 'only Linux has /proc, which shows memory and descriptors'

/** What is open in a process, by what it is. */
export interface Descriptors {
  /** Pack files and their indexes. The store limits the number of open ones. */
  packs: number
  sockets: number
  /** Of each organization there are one or two. */
  journals: number
  /** Pipes to git's processes among them. */
  others: number
}

/** See the top of the file. {@link startBuilt} creates it. */
export class BuiltServer extends Server {
  readonly pid: number
  readonly exit: Promise<Ended>
  /** All that was printed so far. */
  readonly output: () => string
  readonly #child: ChildProcess

  constructor(base: string, dataDir: string, { child, exit, output }: ReturnType<typeof launch>) {
    super(base, dataDir, async () => {
      child.kill('SIGTERM')
      await exit
    })
    this.pid = child.pid!
    this.exit = exit
    this.output = output
    this.#child = child
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Processor time that it has had so far, of all its threads, in microseconds. */
  get cpu(): number {
    const folder = `/proc/${this.pid}/task`
    const nanoseconds = (thread: string) =>
      Number(readFileSync(join(folder, thread, 'schedstat'), 'latin1').split(' ')[0])
    return readdirSync(folder).reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1000
  }

  /** Resident memory in bytes. */
  get resident(): number {
    return this.#memory('VmRSS')
  }

  /** The most that {@link resident} ever was. */
  get peak(): number {
    return this.#memory('VmHWM')
  }

  #memory(field: string): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'latin1')
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
  }

  /** Bytes alive in the heap and beside it after a collection: what is held, without what only waits to be freed. */
  async live(): Promise<number> {
    const reports = () => [...this.output().matchAll(/^live bytes: (\d+)$/gm)]
    const before = reports().length
    this.signal('SIGUSR2')
    if (!(await eventually(() => reports().length > before))) throw new Error('no word of the live bytes')
    return Number(reports().at(-1)![1])
  }

  descriptors(): Descriptors {
    const folder = `/proc/${this.pid}/fd`
    const found: Descriptors = { packs: 0, sockets: 0, journals: 0, others: 0 }
    for (const name of readdirSync(folder)) {
      try {
        const target = readlinkSync(join(folder, name))
        if (/\.(pack|idx)( \(deleted\))?$/.test(target)) found.packs++
        else if (target.startsWith('socket:')) found.sockets++
        else if (/\/journal-[^/]*$/.test(target)) found.journals++
        else found.others++
      } catch {
        // Closed between the listing and the look.
      }
    }
    return found
  }
}

/**
 * Builds what is stale, starts a server on a free port and waits until it says where; it is killed when the test ends.
 * @param flags of Node
 */
export async function startBuilt(
  t: Test,
  dataDir: string,
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<BuiltServer> {
  mkdirSync(dataDir, { recursive: true })
  const watched = ['--expose-gc', '--import', join(import.meta.dirname, 'live-heap.mjs'), ...flags]
  const run = launch(dataDir, env, { flags: watched })
  t.teardown(() => kill(run))
  return new BuiltServer(await addressOf(run), dataDir, run)
}
