/**
 * What the benchmarks of the server share: servers and clients on processors of their own, processor time from the
 * system's own books, rounds.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Fewer and shorter rounds. */
export const QUICK = process.argv.includes('--quick')
export const ROUNDS = QUICK ? 3 : 5
export const ROUND_MS = QUICK ? 300 : 500

/** With two processors or more, the servers have the first one and the clients the others. */
const PINNED = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0
export const onServerCore = (command: string[]) => (PINNED ? ['taskset', '-c', '0', ...command] : command)
const onClientCore = (command: string[]) =>
  PINNED ? ['taskset', '-c', `1-${availableParallelism() - 1}`, ...command] : command

/** A folder that goes when the process does. */
export function scratch(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'parlance-bench-'))
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** A server under measurement. */
export class Running {
  readonly child: ChildProcess
  readonly url: URL

  private constructor(child: ChildProcess, url: URL) {
    this.child = child
    this.url = url
  }

  /**
   * Starts a program that prints where it listens.
   * @param pinned to the server's core, which its clients leave alone
   */
  static async start(command: string[], env: Record<string, string> = {}, pinned = true): Promise<Running> {
    const [program = '', ...argv] = pinned ? onServerCore(command) : command
    const child = spawn(program, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
    children.add(child)
    child.on('exit', () => children.delete(child))
    const url = await new Promise<string>((resolve, reject) => {
      let text = ''
      child.stdout!.on('data', data => {
        text += data
        const found = /http:\/\/[^\s]+/.exec(text)
        if (found) resolve(found[0])
      })
      child.on('exit', () => reject(new Error(`${command.join(' ')} ended: ${text}`)))
    })
    return new Running(child, new URL(url))
  }

  /** Processor time that its processes have used so far, in microseconds; without git merging packs. */
  cpu(): number {
    return tree(this.child.pid!).reduce((sum, pid) => sum + cpuOf(pid), 0)
  }

  /** Resident memory of its processes, in bytes; without git merging packs. */
  memory(): number {
    return tree(this.child.pid!).reduce((sum, pid) => sum + memoryOf(pid), 0)
  }

  async stop(): Promise<void> {
    const gone = new Promise(resolve => this.child.on('exit', resolve))
    this.child.kill('SIGTERM')
    await gone
  }
}

/** A process and all that descend from it, but for git merging packs. */
function tree(root: number): number[] {
  const children = readProc(`/proc/${root}/task/${root}/children`).trim().split(' ').filter(Boolean).map(Number)
  return [root, ...children.filter(child => !isMerging(child)).flatMap(tree)]
}

/**
 * Half a minute after many writes git merges their packs, with 45 MB and idle processor time. It does not belong to the
 * requests of that time.
 */
function isMerging(pid: number): boolean {
  return /\0(repack|pack-objects|commit-graph)\0/.test(readProc(`/proc/${pid}/cmdline`))
}

/** Of all its threads. The scheduler's own count is in nanoseconds, where `stat` counts hundredths of a second. */
function cpuOf(pid: number): number {
  let threads: string[] = []
  try {
    threads = fs.readdirSync(`/proc/${pid}/task`)
  } catch {}
  return (
    threads.reduce((sum, thread) => sum + Number(readProc(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]), 0) /
    1000
  )
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
}

/** A process may end while it is looked at. */
function readProc(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** What a client of {@link load} is to do. */
interface Order {
  host: string
  port: number
  /** The raw requests, sent in turn, with headers and body. Ten `#` become a number of their own. */
  requests: string[]
  connections: number
  milliseconds: number
  /**
   * Requests a second, begun whether answers come or not; without it each connection sends its next when it has an
   * answer.
   */
  rate?: number | undefined
}

/** Answers by status, their bytes, and the microseconds of each (a sample of at most 20,000). */
export interface Answers {
  statuses: Record<string, number>
  bytes: number
  seconds: number
  latencies: number[]
}

/** Stands for ten digits that no other request has, in a path or a body. */
export const UNIQUE = '##########'

/** A raw request on a persistent connection; see {@link UNIQUE}. */
export function request(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' } = {},
): string {
  const length =
    body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host: 'localhost', ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Loads a server from another process; resolves with what came back. */
export async function load(
  server: URL,
  requests: string[],
  { connections = 32, milliseconds = ROUND_MS, rate }: Partial<Order> = {},
): Promise<Answers> {
  const order: Order = { host: server.hostname, port: Number(server.port), requests, connections, milliseconds, rate }
  const client = join(import.meta.dirname, 'load-client.mjs')
  const [program = '', ...argv] = onClientCore([process.execPath, client])
  const child = spawn(program, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(order))
  let text = ''
  child.stdout.on('data', data => (text += data))
  const code = await new Promise(resolve => child.on('close', resolve))
  if (code !== 0) throw new Error(`the load ended with ${code}`)
  return JSON.parse(text)
}

/** Processor time of a server per answer, in microseconds; every answer must have the status. */
export async function cpuPerRequest(
  server: Pick<Running, 'cpu' | 'url'>,
  requests: string[],
  status: number,
  options = {},
): Promise<number> {
  const before = server.cpu()
  const { statuses } = await load(server.url, requests, options)
  const spent = server.cpu() - before
  const { [status]: right = 0, ...wrong } = statuses
  if (right === 0 || Object.keys(wrong).length > 0) throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return spent / right
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * Runs every measurement once a round, one after the other, so that what the machine does besides meets all of them;
 * the first round does not count.
 */
export async function alternate(measurements: (() => Promise<number>)[], rounds = ROUNDS): Promise<number[][]> {
  const results = measurements.map(() => [] as number[])
  for (let round = -1; round < rounds; round++) {
    for (const [index, measure] of measurements.entries()) {
      const value = await measure()
      if (round >= 0) results[index]!.push(value)
    }
  }
  return results
}
