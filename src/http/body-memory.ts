/** What request bodies take of the memory: bounded for all of them together, and for each by little more than its bytes. */
import type { FastifyReply, FastifyRequest } from 'fastify'

const MANY = 16
const SMALL = 4096

declare module 'fastify' {
  interface FastifyInstance {
    bodies: BodyMemory
  }
}

/** What the bodies of all requests hold of the memory, from their arrival until they are answered. */
export class BodyMemory {
  readonly #limit: number
  readonly #held = new WeakMap<FastifyRequest, number>()
  #bytes = 0

  /** @param limit in bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Releases what a request holds when its answer is through or its client has left. To be called once for each that may have a body. */
  follow(request: FastifyRequest, reply: FastifyReply): void {
    reply.raw.once('close', () => this.release(request))
  }

  /** Gives back what a request holds. */
  release(request: FastifyRequest): void {
    this.#bytes -= this.#held.get(request) ?? 0
    this.#held.delete(request)
  }

  /** Counts bytes that a request holds from now on; false when there is no room for them. */
  hold(request: FastifyRequest, bytes: number): boolean {
    if (this.#bytes + bytes > this.#limit) return false
    this.#held.set(request, (this.#held.get(request) ?? 0) + bytes)
    this.#bytes += bytes
    return true
  }
}

/** Chunks that a body arrives in. Many small ones are copied together: as objects they would take a hundred times what they hold. */
export class Gathered {
  readonly #parts: Buffer[] = []
  #block = Buffer.alloc(0)
  #used = 0
  length = 0

  add(chunk: Buffer): void {
    this.length += chunk.length
    if (this.#parts.length < MANY || chunk.length >= SMALL) {
      this.#finish()
      this.#parts.push(chunk)
      return
    }
    if (chunk.length > this.#block.length - this.#used) {
      this.#finish()
      this.#block = Buffer.allocUnsafe(16 * SMALL)
    }
    this.#used += chunk.copy(this.#block, this.#used)
  }

  bytes(): Buffer {
    this.#finish()
    return Buffer.concat(this.#parts, this.length)
  }

  #finish(): void {
    if (this.#used > 0) this.#parts.push(this.#block.subarray(0, this.#used))
    this.#block = this.#block.subarray(this.#used)
    this.#used = 0
  }
}
