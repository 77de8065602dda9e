/** Computes long work in a thread beside the event loop, one task at a time, within bounded memory. */
import type { Piscina } from 'piscina'
import type { Log } from '../background.ts'
import { busy, Failure, stopping } from '../bundle/errors.ts'
import type { Order, Reply } from './program.ts'
import type { Answer, Name, Task } from './tasks.ts'

/** Most tasks that wait for their turn. */
const MOST_WAITING = 10_000
/** An idle thread is ended to give its memory back. Starting one takes some 50 ms. */
const IDLE_MS = 5_000
/** What takes longer will not end: the largest tasks take seconds. */
const LONGEST_MS = 120_000
/**
 * Heap of the thread in MB, per MiB of the largest body. A body of 8 MiB in a file of 8 MiB takes 1.1 GB at worst, one
 * of a hundred thousand keys 0.1 GB.
 */
const HEAP = { perMebibyte: 192, least: 1536 }
/** Most bytes of a task per MB of heap: V8 ends a full thread, but the process for one huge object. */
const BYTES_PER_MEGABYTE = 64 * 1024

/** See the top of the file. The thread starts with the first task and never keeps the process alive. */
export class BundleWorker {
  readonly #log: Pick<Log, 'error'>
  readonly #heapMegabytes: number
  readonly #idleMs: number
  readonly #mostWaiting: number
  #pool: Promise<Piscina> | undefined
  /** Settles when the last task asked for is through. */
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #closed = false

  /** @param options `largestBody` in bytes; the others are for tests */
  constructor(
    log: Pick<Log, 'error'>,
    options: { largestBody?: number; heapMegabytes?: number; idleMs?: number; mostWaiting?: number } = {},
  ) {
    this.#log = log
    const { largestBody = 0 } = options
    this.#heapMegabytes = options.heapMegabytes ?? Math.max(HEAP.least, (HEAP.perMebibyte * largestBody) / 2 ** 20)
    this.#idleMs = options.idleMs ?? IDLE_MS
    this.#mostWaiting = options.mostWaiting ?? MOST_WAITING
  }

  /**
   * Computes a task when earlier ones are through. The thread gets copies of its bytes.
   * @param prepare gives the task when its turn has come, so that nothing is held before; undefined: no task, no answer
   * @param left rejects the waiting with its reason; a running task goes on
   * @throws Failure `too-large` for too much memory; `unavailable` when the thread dies otherwise, too many wait, or
   * after {@link close}; and what `prepare` and the task throw
   */
  async run<N extends Name>(
    name: N,
    prepare: () => Task<N> | undefined | Promise<Task<N> | undefined>,
    left?: AbortSignal,
  ): Promise<Answer<N> | undefined> {
    left?.throwIfAborted()
    if (this.#waiting >= this.#mostWaiting) {
      throw busy('The server has too much to compute; try again in a moment.')
    }
    const before = this.#last
    const turn = async () => {
      await before
      left?.throwIfAborted()
      if (this.#closed) throw stopping()
      const task = await prepare()
      return task && this.#compute(name, task)
    }
    this.#waiting++
    const answer = turn().finally(() => this.#waiting--)
    this.#last = answer.catch(() => {})
    return left === undefined ? answer : Promise.race([answer, aborted(left, answer)])
  }

  /** Ends the thread; remaining tasks are refused. */
  async close(): Promise<void> {
    this.#closed = true
    await (await this.#pool)?.destroy()
    await this.#last
  }

  async #compute<N extends Name>(name: N, task: Task<N>): Promise<Answer<N>> {
    const bytes = bytesOf(task)
    if (bytes > this.#heapMegabytes * BYTES_PER_MEGABYTE) throw tooLarge()
    const pool = await (this.#pool ??= this.#start())
    if (this.#closed) throw stopping()
    const ended = new AbortController()
    // A thread that ends before it takes the task leaves it with the pool, which would start no other.
    const onEnd = () => void setImmediate(() => ended.abort(new Error('the thread has ended')))
    pool.on('workerDestroy', onEnd).on('error', onEnd)
    try {
      const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(LONGEST_MS)])
      const transferList: ArrayBuffer[] = []
      const order = { name, task: withCopies(task, transferList) } as Order
      const reply: Reply = await pool.run(order, { transferList, signal })
      if ('answer' in reply) return reply.answer as Answer<N>
      throw new Failure(reply.failure.code, reply.failure.message, reply.failure.data)
    } catch (error) {
      if (error instanceof Failure) throw error
      this.#pool = undefined
      pool.destroy().catch(() => {})
      throw this.#died(error as Error)
    } finally {
      pool.off('workerDestroy', onEnd).off('error', onEnd)
    }
  }

  async #start(): Promise<Piscina> {
    // Most servers never need it, so it is not loaded at their start.
    const { Piscina } = await import('piscina')
    const pool = new Piscina({
      filename: programFile(),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: this.#idleMs,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMegabytes, maxYoungGenerationSizeMb: 32 },
    })
    // A thread that dies while nobody waits; without a listener the process would end.
    pool.on('error', error => this.#log.error({ err: error }, 'the worker has died; the next task starts another'))
    return pool
  }

  #died(error: Error): Failure {
    if (this.#closed) return stopping()
    this.#log.error({ err: error }, 'the worker has died of a task; the next one starts another')
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return tooLarge()
    return busy('The thread that computed this has died; nothing was written, try again.')
  }
}

/** The bytes in a task. */
export function bytesOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, part) => sum + bytesOf(part), 0)
}

/** A task with copies of its bytes, whose memory moves to the thread. @param depth how deep bytes may stand */
function withCopies(value: unknown, memory: ArrayBuffer[], depth = 3): unknown {
  if (value instanceof Uint8Array) {
    const copy = Uint8Array.from(value)
    memory.push(copy.buffer)
    return copy
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withCopies(part, memory, depth - 1)]))
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
  new Failure('too-large', 'This takes more memory than the server has for one bundle: split it into namespaces.')

/** The program's name in `dist/chunks/`, set by the build; undefined when run from source. */
declare const WORKER_PROGRAM: string

/** This file is bundled into one in `dist/` or `dist/chunks/`. */
function programFile(): string {
  const here = import.meta.url
  if (typeof WORKER_PROGRAM === 'string') return here.replace(/\/(chunks\/)?[^/]*$/, `/chunks/${WORKER_PROGRAM}`)
  return new URL('./program.ts', here).href
}
