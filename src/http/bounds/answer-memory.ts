/** Memory held by answers until they are read: bounded overall and shared fairly. */
import type { ServerResponse } from 'node:http'
import { type Claimant, FairShares } from '../../scheduling/fair-shares.ts'
import { whenGone } from './when-gone.ts'

declare module 'fastify' {
  interface FastifyInstance {
    answers: AnswerMemory
  }
}

/** In bytes. Smaller answers fit into the system's buffers. */
const SMALLEST = 64 * 1024

interface Reader {
  claimant: Claimant
  bytes: Buffer
  response: ServerResponse
}

/** Large answers under way. Over the limit, the heaviest client's oldest answer is disconnected. */
export class AnswerMemory {
  readonly #limit: number
  readonly #readers = new Set<Reader>()
  readonly #shares = new FairShares()
  /** The number of readers of each content. All share one buffer. */
  readonly #contents = new Map<Buffer, number>()
  #bytes = 0

  /** @param limit in bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes held by all answers. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts an answer until its client has read it or left. Call it before sending. */
  hold(claimant: Claimant, response: ServerResponse, bytes: Buffer): void {
    if (bytes.length < SMALLEST) return
    const reader = { claimant, bytes, response }
    const readers = this.#contents.get(bytes) ?? 0
    if (readers === 0) this.#bytes += bytes.length
    this.#contents.set(bytes, readers + 1)
    this.#readers.add(reader)
    this.#shares.add(claimant, bytes.length)
    whenGone(response, () => this.#release(reader))
    while (this.#bytes > this.#limit && this.#readers.size > 1) {
      const greedy = this.#shares.most(this.#readers)!
      this.#release(greedy)
      greedy.response.destroy()
    }
  }

  #release(reader: Reader): void {
    if (!this.#readers.delete(reader)) return
    const { claimant, bytes } = reader
    this.#shares.add(claimant, -bytes.length)
    const left = this.#contents.get(bytes)! - 1
    if (left > 0) this.#contents.set(bytes, left)
    else {
      this.#contents.delete(bytes)
      this.#bytes -= bytes.length
    }
  }
}
