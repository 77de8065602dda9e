/** Computes long work in a thread, one task at a time, within bounded memory. */
import type { Piscina } from 'piscina'
import { busy, Failure, stopping } from '../bundle/errors.ts'
import { bytesIn } from '../bundle/work.ts'
import type { Log } from '../scheduling/background.ts'
import type { Claimant } from '../scheduling/fair-shares.ts'
import { FairSlots } from '../scheduling/fair-slots.ts'
import { joinBytes } from '../scheduling/join-bytes.ts'
import { programFile } from '../scheduling/program-file.ts'
import { type SlicePause, slices } from '../scheduling/slices.ts'
import type { TaskMessage, TaskReply } from './program.ts'
import type { TaskAnswer, TaskInput, TaskName } from './tasks.ts'

/** Tasks that may wait for their turn. */
const MAX_WAITING = 10_000
/** An idle thread ends to free its memory. A start costs 50 ms. */
const IDLE_MS = 5_000
/** A longer task never ends: the largest tasks last seconds. */
const LONGEST_MS = 120_000
/**
 * Heap of the thread in MB, per MiB of the largest body of a namespace. A body of 8 MiB for a file of 8 MiB needs at
 * most 1.1 GB. One of a hundred thousand keys needs 0.1 GB.
 */
const HEAP = { perMebibyte: 192, least: 1536 }
/** Maximum bytes of a task per MB of heap: V8 ends a full thread, but one huge object ends the process. */
const BYTES_PER_MEGABYTE = 64 * 1024

/** Bytes within longer lists are cloned, not moved. */
const LONG_LIST = 2_000

const NEVER = new AbortController().signal

/** The thread starts with the first task and does not hold the process open. */
export class BundleWorker {
  readonly #log: Pick<Log, 'error'>
  readonly #heapMegabytes: number
  readonly #idleMs: number
  /** Piscina's own queue would hold the bytes of all waiting tasks. */
  readonly #turns: FairSlots
  #pool: Promise<Piscina> | undefined
  #closed = false

  /** @param options `largestBody` in bytes; the others are for tests */
  constructor(
    log: Pick<Log, 'error'>,
    options: { largestBody?: number; heapMegabytes?: number; idleMs?: number; maxWaiting?: number } = {},
  ) {
    this.#log = log
    const { largestBody = 0 } = options
    this.#heapMegabytes = options.heapMegabytes ?? Math.max(HEAP.least, (HEAP.perMebibyte * largestBody) / 2 ** 20)
    this.#idleMs = options.idleMs ?? IDLE_MS
    this.#turns = new FairSlots(1, options.maxWaiting ?? MAX_WAITING)
  }

  /**
   * Computes a task after earlier ones. The thread gets copies of its bytes.
   * @param prepare reads the task at its turn, so that no waiting task holds bytes. Undefined: no task, no answer
   * @param left rejects with its reason. A running task continues, without a caller
   * @param claimant who waits: the one with the fewest tasks comes first
   * @throws Failure `too-large` for too much memory; `unavailable` when the thread dies otherwise, too many tasks wait,
   * or after {@link close}; and the failures of `prepare` and the task
   */
  run<N extends TaskName>(
    name: N,
    prepare: () => TaskInput<N> | undefined | Promise<TaskInput<N> | undefined>,
    left: AbortSignal = NEVER,
    claimant?: Claimant,
  ): Promise<TaskAnswer<N> | undefined> {
    const full = () => busy('The server has too much to compute; try again in a moment.')
    const compute = async () => {
      if (this.#closed) throw stopping()
      const task = await prepare()
      return task && this.#compute(name, task)
    }
    const answer = this.#turns.inTurn(left, full, compute, { claimant })
    return left === NEVER ? answer : Promise.race([answer, aborted(left, answer)])
  }

  /** Ends the thread and rejects the remaining tasks. */
  async close(): Promise<void> {
    this.#closed = true
    await (await this.#pool)?.destroy()
  }

  async #compute<N extends TaskName>(name: N, task: TaskInput<N>): Promise<TaskAnswer<N>> {
    const size = bytesIn(task).reduce((sum, { length }) => sum + length, 0)
    if (size > this.#heapMegabytes * BYTES_PER_MEGABYTE) throw tooLarge()
    const pool = await (this.#pool ??= this.#start())
    if (this.#closed) throw stopping()
    const transferList: ArrayBuffer[] = []
    const message = { name, task: await withCopies(task, transferList, slices()) } as TaskMessage
    if (this.#closed) throw stopping()
    const signal = AbortSignal.timeout(LONGEST_MS)
    const reply: TaskReply = await pool.run(message, { transferList, signal }).catch(error => {
      throw this.#failureOf(error)
    })
    if ('answer' in reply) return reply.answer as TaskAnswer<N>
    throw new Failure(reply.failure.code, reply.failure.message, reply.failure.data)
  }

  async #start(): Promise<Piscina> {
    // Most servers never need it, so it is not loaded at their start.
    const { Piscina } = await import('piscina')
    const pool = new Piscina({
      filename: programFile(typeof WORKER_PROGRAM === 'string' ? WORKER_PROGRAM : undefined, import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: this.#idleMs,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMegabytes, maxYoungGenerationSizeMb: 32 },
    })
    const rejectTasks = () => void pool.destroy().catch(() => {})
    // The thread died between two tasks, or before it accepted the first one, which only `destroy` rejects.
    pool.on('error', error => {
      this.#log.error({ err: error }, 'the worker has died; the next task starts another')
      rejectTasks()
    })
    // A thread that ends without an error leaves the task with the pool, which starts no other thread.
    pool.on('workerDestroy', () => {
      setImmediate(() => {
        if (pool.threads.length === 0 && pool.queueSize > 0) rejectTasks()
      })
    })
    return pool
  }

  #failureOf(error: Error): Failure {
    if (this.#closed) return stopping()
    this.#log.error({ err: error }, 'the worker has died of a task; the next one starts another')
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return tooLarge()
    return busy('The thread that computed this has died; nothing was written, try again.')
  }
}

/** A task with copies of its bytes. The thread gets their memory. @param depth the deepest level of bytes */
async function withCopies(value: unknown, memory: ArrayBuffer[], pause: SlicePause, depth = 6): Promise<unknown> {
  if (value instanceof Uint8Array) {
    const copy = await joinBytes([value], { pause, own: true })
    memory.push(copy.buffer as ArrayBuffer)
    return copy
  }
  if (typeof value !== 'object' || value === null || depth === 0) return value
  // A long list holds small values.
  if (Array.isArray(value) && value.length > LONG_LIST) return value
  const copied: [string, unknown][] = []
  for (const [name, part] of Object.entries(value))
    copied.push([name, await withCopies(part, memory, pause, depth - 1)])
  return Array.isArray(value) ? copied.map(([, part]) => part) : Object.fromEntries(copied)
}

/** Rejects when the client leaves; settles with the answer, so that no listener stays. */
function aborted(left: AbortSignal, answer: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(left.reason)
    left.addEventListener('abort', leave, { once: true })
    const settle = () => left.removeEventListener('abort', leave)
    answer.then(settle, settle)
  })
}

const tooLarge = () =>
  new Failure(
    'too-large',
    'This needs more memory than the server has: split a bundle into namespaces, send less at once.',
  )

/** Set by the build. */
declare const WORKER_PROGRAM: string
