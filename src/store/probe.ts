/** Whether the disk accepts writes: a small file tries, since nothing else shows it before a write fails. */
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { diskFailure, removeFile, writeFile } from './disk.ts'
import { endsWithin } from './ends-within.ts'
import type { Logger } from './log.ts'

/** As much as a new organization's journal needs. */
const SAMPLE = Buffer.alloc(64 * 1024)
const NAME = '.probe'

export class Probe {
  readonly #path: string
  readonly #log: Logger
  readonly #goodForMs: number
  readonly #patienceMs: number
  #attempt: Promise<void> | undefined
  #attempted = Number.NEGATIVE_INFINITY
  #failure: Failure | undefined

  /** @param options.goodForMs how long an answer holds; `patienceMs` longest wait for the disk */
  constructor(folder: string, log: Logger, { goodForMs = 5_000, patienceMs = 3_000 } = {}) {
    this.#path = join(folder, NAME)
    this.#log = log
    this.#goodForMs = goodForMs
    this.#patienceMs = patienceMs
  }

  /** Why nothing can be written now, if so. All who ask during an attempt, or soon after, share it. */
  async failure(): Promise<Failure | undefined> {
    if (this.#attempt === undefined && performance.now() - this.#attempted >= this.#goodForMs) {
      // A hanging disk blocks a thread of the pool: never more than one.
      this.#attempt = this.#try().finally(() => {
        this.#attempted = performance.now()
        this.#attempt = undefined
      })
    }
    if (this.#attempt && !(await endsWithin(this.#patienceMs, this.#attempt))) {
      return new Failure('unavailable', 'The disk of the server does not answer.')
    }
    return this.#failure
  }

  async #try(): Promise<void> {
    try {
      await writeFile(this.#path, SAMPLE)
      await removeFile(this.#path)
      if (this.#failure) this.#log.info({}, 'the disk accepts writes again')
      this.#failure = undefined
    } catch (error) {
      // The rest of the sample must not occupy the last room.
      await removeFile(this.#path).catch(() => {})
      if (this.#failure === undefined) this.#log.error({ err: error }, 'the disk refuses writes')
      this.#failure =
        diskFailure(error).code === 'no-space'
          ? new Failure('no-space', 'The disk of the server is full.')
          : new Failure('unavailable', 'The server cannot write to its disk; its log says why.')
    }
  }
}
