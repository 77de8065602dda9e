/** Calls the thread of the memories. It starts with the first call and does not hold the process open. */
import { Worker } from 'node:worker_threads'
import { busy, stopping } from '../bundle/errors.ts'
import type { Log } from '../scheduling/background.ts'
import { programFile } from '../scheduling/program-file.ts'
import type { MemoryLimits, MemoryStore } from './memory-store.ts'
import type { MemoryCall, MemoryReply, MemoryRequest } from './program.ts'

/** Heap of the thread in MB. Postings of the index lie outside of it. */
const HEAP_MEGABYTES = 1024

/** A call without its answer. */
interface UnansweredCall {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** A thread and its calls. */
interface RunningThread {
  worker: Worker
  unanswered: Map<number, UnansweredCall>
}

export class MemoryThread {
  readonly #log: Pick<Log, 'error'>
  readonly #limits: MemoryLimits
  #running: RunningThread | undefined
  #calls = 0
  #closed = false

  constructor(log: Pick<Log, 'error'>, limits: MemoryLimits) {
    this.#log = log
    this.#limits = limits
  }

  /** Runs a method of {@link MemoryStore} in the thread. @throws Failure `unavailable` when the thread ends */
  call<C extends MemoryCall>(call: C, ...given: Parameters<MemoryStore[C]>): Promise<ReturnType<MemoryStore[C]>> {
    if (this.#closed) return Promise.reject(stopping())
    const { worker, unanswered } = (this.#running ??= this.#start())
    const id = this.#calls++
    return new Promise((resolve, reject) => {
      unanswered.set(id, { resolve: resolve as UnansweredCall['resolve'], reject })
      worker.postMessage({ id, call, given } satisfies MemoryRequest<C>)
    })
  }

  /** Ends the thread, which frees its memory. The next call starts another one. */
  async end(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.worker.terminate()
  }

  /** Ends the thread for good. */
  close(): Promise<void> {
    this.#closed = true
    return this.end()
  }

  #start(): RunningThread {
    const unanswered: RunningThread['unanswered'] = new Map()
    const program = programFile(typeof MEMORY_PROGRAM === 'string' ? MEMORY_PROGRAM : undefined, import.meta.url)
    const worker = new Worker(program, {
      workerData: this.#limits,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: 32 },
    })
    worker.unref()
    worker.on('message', (reply: MemoryReply) => {
      const call = unanswered.get(reply.id)
      unanswered.delete(reply.id)
      if ('answer' in reply) call?.resolve(reply.answer)
      else call?.reject(new Error(`The thread of the memory failed: ${reply.error}`))
    })
    worker.on('error', error => {
      this.#log.error({ err: error }, 'the thread of the memory has died; the next search starts another')
    })
    worker.on('exit', () => {
      if (this.#running?.worker === worker) this.#running = undefined
      const failure = this.#closed ? stopping() : busy('The memory is being built again; try again in a moment.', 2)
      for (const { reject } of unanswered.values()) reject(failure)
      unanswered.clear()
    })
    return { worker, unanswered }
  }
}

/** Set by the build. */
declare const MEMORY_PROGRAM: string
