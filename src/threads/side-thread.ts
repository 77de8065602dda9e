/** Computes what would keep the event loop for long beside it, one thing at a time, in a thread that is there only while it is needed. */
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { Failure } from '../bundle/errors.ts'
import { pack, unpack } from './messages.ts'
import type { Answer, Name, Reply, Task } from './programs.ts'

/** More than these do not wait for their turn. */
const MOST_WAITING = 10_000
/** A thread without work is ended, which gives its memory back. Starting one takes some 50 ms of its own time. */
const IDLE_MS = 5_000
/** What takes longer will not end. The largest take seconds. */
const LONGEST_MS = 120_000
/**
 * Heap of the thread in MB, for each MiB that a body may have. A body of 8 MiB in a file of 8 MiB takes 1.1 GB at the worst, one of a
 * hundred thousand keys 0.1 GB. V8 ends a thread that has taken all, but the process when one large object was too much, so the limit is
 * not for reaching; with more than it needs V8 leaves garbage for longer.
 */
const HEAP = { perMebibyte: 192, least: 1536 }

/** What happens in it that an operator may want to know. */
export interface ThreadLog {
  error(details: object, message: string): void
}

/** What came of a task, which is given back with its bytes. */
export interface Computed<N extends Name> {
  answer: Answer<N>
  task: Task<N>
}

/** What a run may want beyond its task. */
export interface RunOptions<N extends Name, R> {
  /** Belongs to its turn: the next one begins when this is through. */
  finish: (computed: Computed<N>) => R | Promise<R>
  /** Stops its waiting: then it rejects with its reason. What is being computed goes on. */
  left?: AbortSignal
}

/** One that waits, or is at it. */
interface Job {
  name: Name
  prepare: () => unknown
  finish: (computed: Computed<Name>) => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** See the top of the file. Its thread starts with the first task, and keeps no process alive that has nothing else to do. */
export class SideThread {
  readonly #log: ThreadLog
  readonly #heapMegabytes: number
  readonly #idleMs: number
  readonly #mostWaiting: number
  readonly #waiting = new Set<Job>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #closed = false

  /** @param options `largestBody` in bytes; the others are for tests */
  constructor(
    log: ThreadLog,
    options: { largestBody?: number; heapMegabytes?: number; idleMs?: number; mostWaiting?: number } = {},
  ) {
    this.#log = log
    const { largestBody = 0, heapMegabytes = Math.max(HEAP.least, (HEAP.perMebibyte * largestBody) / 2 ** 20) } =
      options
    this.#heapMegabytes = heapMegabytes
    this.#idleMs = options.idleMs ?? IDLE_MS
    this.#mostWaiting = options.mostWaiting ?? MOST_WAITING
  }

  /** Whether there is a thread at the moment. */
  get running(): boolean {
    return this.#worker !== undefined
  }

  /**
   * Computes something when what was asked before is through.
   * @param prepare is called when its turn has come, and gives the task: until then nothing is held for it. The bytes of a task change
   *   hands, and come back with the answer: they must be its own
   * @returns what `finish` does, with the answer
   * @throws Failure `unavailable` when the thread dies of it, when too many wait, and after {@link close}; and what `prepare` and `finish` throw
   */
  run<N extends Name, R>(
    name: N,
    prepare: () => Task<N> | Promise<Task<N>>,
    { finish, left }: RunOptions<N, R>,
  ): Promise<R> {
    if (this.#closed) return Promise.reject(stopping())
    if (this.#waiting.size >= this.#mostWaiting) {
      const message = 'The server has too much to compute; try again in a moment.'
      return Promise.reject(new Failure('unavailable', message, { retryAfter: 1 }))
    }
    return new Promise((resolve, reject) => {
      const job = { name, prepare, finish, resolve, reject } as Job
      const leave = () => {
        if (this.#waiting.delete(job)) reject(left!.reason)
      }
      if (left?.aborted) return reject(left.reason)
      left?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(job)
      this.#working ??= this.#work()
    })
  }

  /** Ends the thread. To be called when nobody waits for an answer any more: what is left is refused. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#end()
    await this.#working
    clearTimeout(this.#idle)
  }

  async #work(): Promise<void> {
    clearTimeout(this.#idle)
    // Not before `run` knows that it is at it.
    await Promise.resolve()
    while (this.#waiting.size > 0) {
      const job = first(this.#waiting)!
      this.#waiting.delete(job)
      try {
        job.resolve(await job.finish(await this.#compute(job.name, await job.prepare())))
      } catch (error) {
        job.reject(error)
      }
    }
    this.#working = undefined
    this.#idle = setTimeout(() => this.#end(), this.#idleMs).unref()
  }

  /** Whoever comes next starts another one, though this one takes a moment to end. */
  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #compute(name: Name, task: unknown): Promise<Computed<Name>> {
    if (this.#closed) throw stopping()
    const worker = (this.#worker ??= this.#start())
    const { message, transfer } = pack({ name, task })
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer)
        worker.off('message', onReply).off('error', onError).off('exit', onExit).unref()
        act()
      }
      const onReply = (packed: unknown) =>
        settle(() => {
          const reply = unpack(packed) as Reply
          if ('mistake' in reply) reject(reply.mistake)
          else resolve(reply as Computed<Name>)
        })
      const onError = (error: Error) => settle(() => reject(this.#died(error)))
      const onExit = (code: number) => settle(() => reject(this.#died(new Error(`it ended with ${code}`))))
      const timer = setTimeout(() => void worker.terminate(), LONGEST_MS).unref()
      worker.on('message', onReply).on('error', onError).on('exit', onExit).ref()
      worker.postMessage(message, transfer)
    })
  }

  #start(): Worker {
    const worker = startWorker({ maxOldGenerationSizeMb: this.#heapMegabytes, maxYoungGenerationSizeMb: 32 })
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined
    }
    // Without a listener an error of a thread that nobody waits for would end the process.
    worker.on('error', forget).on('exit', forget).unref()
    return worker
  }

  #died(error: Error): Failure {
    if (this.#closed) return stopping()
    this.#log.error({ err: error }, 'the thread that computes what is large has died; the next one starts another')
    const why = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    return new Failure(
      'unavailable',
      why
        ? 'This takes more memory than the server has for one request: try it with fewer keys at a time.'
        : 'The thread that computed this has died; nothing was written, try again.',
      why ? {} : { retryAfter: 1 },
    )
  }
}

const first = <T>([one]: Set<T>): T | undefined => one

const stopping = () => new Failure('unavailable', 'The server is shutting down.', { retryAfter: 1 })

/** What the thread's program is called in `dist/chunks/`: the build puts the name here, of which nothing is known when this runs from source. */
declare const THREAD_PROGRAM: string

/** This file is bundled into one in `dist/` or `dist/chunks/`. */
function startWorker(resourceLimits: ResourceLimits): Worker {
  const here = import.meta.url
  if (typeof THREAD_PROGRAM === 'string') {
    const program = here.replace(/\/(chunks\/)?[^/]*$/, `/chunks/${THREAD_PROGRAM}`)
    return new Worker(new URL(program), { resourceLimits, execArgv: [] })
  }
  // From source, as in tests: a thread does not take over what lets the main one read TypeScript.
  const [reader, program] = [import.meta.resolve('tsx/esm/api'), new URL('./thread.ts', here).href]
  const code = `import(${JSON.stringify(reader)}).then(tsx => { tsx.register(); return import(${JSON.stringify(program)}) })`
  return new Worker(code, { eval: true, resourceLimits, execArgv: [] })
}
