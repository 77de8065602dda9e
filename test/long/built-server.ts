/** The built server as a process of its own, as users run it, and what it holds of the machine: memory and file descriptors. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { build, main } from '../bundled.ts'
import { addressOf } from '../contract/process.ts'
import { eventually, Server, settings } from '../contract/server.ts'

const root = join(import.meta.dirname, '../..')

/** Why what looks into a process is skipped, false where it can run. */
export const noProc = platform() === 'linux' ? false : 'memory and descriptors are told by /proc, which only Linux has'

/** How a process ended. */
export interface Ended {
  code: number | null
  signal: string | null
}

/** What is open in a process, by what it is. */
export interface Descriptors {
  /** Pack files and their indexes, which the store keeps open up to a bound of its own. */
  packs: number
  sockets: number
  /** Of each organization there are one or two. */
  journals: number
  /** Pipes to git's processes among them. */
  others: number
}

/** See the top of the file. Made by {@link startBuilt}. */
export class BuiltServer extends Server {
  readonly pid: number
  readonly exit: Promise<Ended>
  /** All that was printed so far. */
  readonly output: () => string
  readonly #signal: (signal: NodeJS.Signals) => void

  constructor(base: string, dataDir: string, process: Launched) {
    super(base, dataDir, async () => {
      process.signal('SIGTERM')
      await process.exit
    })
    this.pid = process.pid
    this.exit = process.exit
    this.output = process.output
    this.#signal = process.signal
  }

  signal(signal: NodeJS.Signals): void {
    this.#signal(signal)
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
    if (!(await eventually(() => reports().length > before, 60_000))) throw new Error('no word of the live bytes')
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

type Launched = ReturnType<typeof launch>

function launch(dataDir: string, env: Record<string, string>, flags: string[]) {
  const watched = ['--expose-gc', '--import', join(import.meta.dirname, 'live-heap.mjs')]
  const child = spawn(process.execPath, [...watched, ...flags, main, 'serve'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings(dataDir, { LOG_LEVEL: 'warn', ...env }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout.on('data', part => (text += part))
  child.stderr.on('data', part => (text += part))
  const exit = new Promise<Ended>(resolve => child.on('close', (code, signal) => resolve({ code, signal })))
  return { pid: child.pid!, exit, output: () => text, signal: (signal: NodeJS.Signals) => void child.kill(signal) }
}

/** Builds what is stale, starts a server on a free port and waits until it says where; it is killed when the test ends. @param flags of Node */
export async function startBuilt(
  t: Test,
  dataDir: string,
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<BuiltServer> {
  build()
  mkdirSync(dataDir, { recursive: true })
  const process = launch(dataDir, env, flags)
  t.teardown(async () => {
    process.signal('SIGKILL')
    await process.exit
  })
  return new BuiltServer(await addressOf(process, 60_000), dataDir, process)
}
