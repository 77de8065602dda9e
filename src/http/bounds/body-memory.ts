/** Memory held by request bodies: bounded overall and shared fairly. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../auth/access.ts'
import { network } from '../../auth/rate-limit.ts'
import { busy, Failure } from '../../bundle/errors.ts'
import { type Claimant, FairShares } from '../../scheduling/fair-shares.ts'
import { joinBytes } from '../../scheduling/join-bytes.ts'
import { whenGone } from './when-gone.ts'

/** Maximum bytes of parsed, unanswered bodies. As objects they need five times as much. */
const UNFOLDED = 32 * 2 ** 20
/** Bytes of a small body: a sign-in, a token, a key. */
const SMALL_BODY = 64 * 2 ** 10
/** Bodies below this share of the room do not wait. */
const WAITS_NOT = SMALL_BODY / UNFOLDED
/** Larger bodies' share of the memory. */
const LARGE_SHARE = 7 / 8

declare module 'fastify' {
  interface FastifyInstance {
    bodies: BodyMemory
  }
}

interface Held {
  claimant: Claimant
  bytes: number
  /** Bytes parsed as objects. */
  unfolded: number
  /** Refuses a body that still arrives, in favour of others with less. */
  giveWay: ((failure: Failure) => void) | undefined
  /** Set while it waits for room to be parsed. */
  wait?: { enter: () => void; leave: () => void }
}

/** The failure of work for a client that has left. No client reads it. */
export const clientLeft = () => new Failure('invalid', 'The client has left.')

/** The failure when there is no room for a body. */
export const noRoom = () => busy('The server is receiving as much as it has room for; try again in a moment.')

/**
 * Memory of all request bodies from arrival to answer. When full, an arriving body gives way to an organization, or
 * else a credential, that holds less. Some room stays for small bodies such as sign-ins.
 */
export class BodyMemory {
  readonly #limit: number
  readonly #mostUnfolded: number
  readonly #held = new Map<FastifyRequest, Held>()
  readonly #shares = new FairShares()
  readonly #unfolded = new FairShares()
  readonly #waiting = new Set<Held>()
  /** Requests that no longer hold memory. */
  readonly #gone = new WeakSet<FastifyRequest>()

  /** @param limit in bytes @param mostUnfolded maximum bytes of parsed bodies */
  constructor(limit: number, mostUnfolded = UNFOLDED) {
    this.#limit = limit
    this.#mostUnfolded = mostUnfolded
  }

  /** Bytes held by all bodies. */
  get bytes(): number {
    return this.#shares.total
  }

  /** Releases a request's memory after its answer, or when its client leaves. Call it once for each body. */
  follow({ raw, request }: FastifyReply): void {
    whenGone(raw, () => {
      this.#gone.add(request)
      this.release(request)
    })
  }

  /** Frees the memory of a request. */
  release(request: FastifyRequest): void {
    const held = this.#held.get(request)
    if (held === undefined) return
    this.#held.delete(request)
    this.#shares.add(held.claimant, -held.bytes)
    if (this.#waiting.delete(held)) held.wait!.leave()
    else this.#unfolded.add(held.claimant, -held.unfolded)
    this.#admit()
  }

  /** Counts further bytes of a request; false when there is no room. @param giveWay see {@link Held} */
  hold(request: FastifyRequest, bytes: number, giveWay?: (failure: Failure) => void): boolean {
    if (this.#gone.has(request)) return false
    const held = this.#heldBy(request)
    held.giveWay = giveWay
    while (this.bytes + bytes > this.#roomFor(held.bytes + bytes)) {
      const greedy = this.#shares.most([...this.#held.values()].filter(other => other.giveWay && other !== held))
      if (greedy === undefined || !this.#shares.yields(greedy.claimant, held.claimant, bytes)) return false
      greedy.giveWay!(noRoom())
    }
    held.bytes += bytes
    this.#shares.add(held.claimant, bytes)
    return true
  }

  /** Marks a body as complete: it no longer gives way. */
  arrived(request: FastifyRequest): void {
    const held = this.#held.get(request)
    if (held) held.giveWay = undefined
  }

  /**
   * Reserves room to parse a body, until {@link release}. A large body may have to wait: then it returns a promise,
   * which rejects with Failure `invalid` when the client leaves. The client with the least goes first.
   */
  unfold(request: FastifyRequest, bytes: number): Promise<void> | undefined {
    if (this.#gone.has(request)) return Promise.reject(clientLeft())
    const held = this.#heldBy(request)
    // Even an empty body needs some room.
    held.unfolded = Math.max(1, bytes)
    if (bytes <= this.#mostUnfolded * WAITS_NOT || (this.#waiting.size === 0 && this.#fits(held))) {
      this.#unfolded.add(held.claimant, held.unfolded)
      return undefined
    }
    return new Promise((enter, reject) => {
      held.wait = { enter, leave: () => reject(clientLeft()) }
      this.#waiting.add(held)
    })
  }

  #heldBy(request: FastifyRequest): Held {
    let held = this.#held.get(request)
    if (held === undefined) {
      held = { claimant: claimantOf(request), bytes: 0, unfolded: 0, giveWay: undefined }
      this.#held.set(request, held)
    }
    return held
  }

  #roomFor(bytes: number): number {
    return bytes > SMALL_BODY ? Math.max(this.#limit * LARGE_SHARE, Math.min(bytes, this.#limit)) : this.#limit
  }

  /** A body larger than all the room gets it alone. */
  #fits({ unfolded }: Held): boolean {
    return this.#unfolded.total === 0 || this.#unfolded.total + unfolded <= this.#mostUnfolded
  }

  #admit(): void {
    for (;;) {
      const next = this.#unfolded.least([...this.#waiting].map(wait => ({ claimant: wait.claimant, wait })))?.wait
      if (next === undefined || !this.#fits(next)) return
      this.#waiting.delete(next)
      this.#unfolded.add(next.claimant, next.unfolded)
      next.wait!.enter()
    }
  }
}

/** The claimant of a caller. */
export function claimantOfCaller({ organization, id }: Caller): Claimant {
  return { organization, credential: id }
}

/** The claimant of a request: its caller, or the address without one. */
export function claimantOf({ caller, ip }: FastifyRequest): Claimant {
  if (caller) return claimantOfCaller(caller)
  const address = network(ip ?? '')
  return { organization: address, credential: address }
}

/** Minimum bytes of a chunk that is stored without a copy: Node gives each its own memory. */
const LARGE_CHUNK = 8 * 2 ** 10

/**
 * A body as it arrives. Small chunks are copied together: as objects they would need a hundred times their bytes. Large
 * chunks are copied once, after the last one, and then freed. Growing memory would trigger collections.
 */
export class BodyBuffer {
  readonly #parts: Buffer[] = []
  /** The memory for small chunks, and its used bytes. */
  #room: Buffer = Buffer.alloc(0)
  #used = 0
  /** Bytes so far. */
  length = 0

  /** Adds the next chunk. The caller must not use it afterwards. */
  add(chunk: Buffer): void {
    this.length += chunk.length
    if (chunk.length >= LARGE_CHUNK || this.length === chunk.length) {
      this.#shift()
      this.#parts.push(chunk)
      return
    }
    const used = this.#used + chunk.length
    if (used > this.#room.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(LARGE_CHUNK, 2 * used))
      this.#room.copy(grown, 0, 0, this.#used)
      this.#room = grown
    }
    chunk.copy(this.#room, this.#used)
    this.#used = used
  }

  /** The whole body, after the last chunk. */
  async bytes(): Promise<Buffer> {
    this.#shift()
    if (this.#parts.length > 1) {
      const whole = await joinBytes(this.#parts)
      for (const part of this.#parts.splice(0, Number.POSITIVE_INFINITY, whole)) giveBack(part)
    }
    return this.#parts[0] ?? Buffer.alloc(0)
  }

  #shift(): void {
    if (this.#used > 0) this.#parts.push(this.#room.subarray(0, this.#used))
    this.#room = this.#room.subarray(this.#used)
    this.#used = 0
  }
}

/** Frees a copied chunk at once: as garbage outside of the heap, megabytes cause collection after collection. */
function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
