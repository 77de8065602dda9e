/** What request bodies take of the memory: bounded for all of them together, and for each by little more than its bytes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../bundle/errors.ts'

/** What is read as JSON and not answered yet may have come in so many bytes; as objects it takes some five times as much. */
const UNFOLDED = 32 * 2 ** 20
/** So many chunks of a body are kept as they come; from then on those that are small are copied together. */
const MANY = 16
/** In bytes. */
const SMALL = 4096
/** From so many bytes on a body has its place in memory before all of it has come. */
const LARGE = 2 ** 20

declare module 'fastify' {
  interface FastifyInstance {
    bodies: BodyMemory
  }
}

/** A body that waits until there is room for it as objects. */
interface Folded {
  bytes: number
  enter: () => void
  leave: () => void
}

/** What the bodies of all requests hold of the memory, from their arrival until they are answered. */
export class BodyMemory {
  readonly #limit: number
  readonly #mostUnfolded: number
  readonly #held = new WeakMap<FastifyRequest, number>()
  readonly #unfolded = new WeakMap<FastifyRequest, number>()
  /** First come, first served. */
  readonly #waiting = new Map<FastifyRequest, Folded>()
  #bytes = 0
  #unfoldedBytes = 0

  /** @param limit in bytes, and so `mostUnfolded`: how much of it may be read as objects at once */
  constructor(limit: number, mostUnfolded = UNFOLDED) {
    this.#limit = limit
    this.#mostUnfolded = mostUnfolded
  }

  /** How many bytes all of them hold at present. */
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
    this.#waiting.get(request)?.leave()
    const unfolded = this.#unfolded.get(request)
    if (!this.#waiting.delete(request) && unfolded === undefined) return
    this.#unfoldedBytes -= unfolded ?? 0
    this.#unfolded.delete(request)
    for (const [next, { bytes, enter }] of this.#waiting) {
      if (!this.#fits(bytes)) break
      this.#waiting.delete(next)
      this.#enter(next, bytes)
      enter()
    }
  }

  /**
   * Asks for room for a body as objects, until {@link release}. A promise when it has to wait for it, which rejects with Failure `invalid`
   * when the client leaves meanwhile.
   */
  unfold(request: FastifyRequest, bytes: number): Promise<void> | undefined {
    if (this.#waiting.size === 0 && this.#fits(bytes)) {
      this.#enter(request, bytes)
      return undefined
    }
    return new Promise((enter, reject) => {
      const leave = () => reject(new Failure('invalid', 'The client has left.'))
      this.#waiting.set(request, { bytes, enter, leave })
    })
  }

  /** One that is larger than all the room has it to itself. */
  #fits(bytes: number): boolean {
    return this.#unfoldedBytes === 0 || this.#unfoldedBytes + bytes <= this.#mostUnfolded
  }

  #enter(request: FastifyRequest, bytes: number): void {
    this.#unfolded.set(request, bytes)
    this.#unfoldedBytes += bytes
  }

  /** Counts bytes that a request holds from now on; false when there is no room for them. */
  hold(request: FastifyRequest, bytes: number): boolean {
    if (this.#bytes + bytes > this.#limit) return false
    this.#held.set(request, (this.#held.get(request) ?? 0) + bytes)
    this.#bytes += bytes
    return true
  }
}

/**
 * Chunks that a body arrives in. Many small ones are copied together: as objects they would take a hundred times what they hold. Those
 * of a large body go to their place as they come, for putting megabytes together in the end would take a while.
 */
export class Gathered {
  readonly #expected: number
  #parts: Buffer[] = []
  /** Room for all of it, once a quarter is there: who only says that much will come holds nothing. */
  #whole: Buffer | undefined
  #block = Buffer.alloc(0)
  #used = 0
  /** How many bytes have come so far. */
  length = 0

  /** @param expected how many bytes there will be at the most, NaN where nobody said so */
  constructor(expected = Number.NaN) {
    this.#expected = expected
  }

  /** Takes the next chunk, which must not change afterwards. */
  add(chunk: Buffer): void {
    this.#whole?.set(chunk, this.length)
    this.length += chunk.length
    if (this.#whole) return
    if (this.#expected >= LARGE && this.length * 4 >= this.#expected) {
      this.#finish()
      this.#whole = Buffer.allocUnsafeSlow(this.#expected)
      let at = 0
      for (const part of [...this.#parts, chunk]) at += part.copy(this.#whole, at)
      this.#parts = []
      return
    }
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

  /** The whole body. */
  bytes(): Buffer {
    if (this.#whole) return this.#whole.subarray(0, this.length)
    this.#finish()
    return Buffer.concat(this.#parts, this.length)
  }

  #finish(): void {
    if (this.#used > 0) this.#parts.push(this.#block.subarray(0, this.#used))
    this.#block = this.#block.subarray(this.#used)
    this.#used = 0
  }
}
