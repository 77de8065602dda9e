/** Counts events per minute by name, in bounded memory. */
import { type ByteCache, byteCache } from '../scheduling/byte-cache.ts'

const MINUTE = 60_000
/** Of a bucket with its name and place. */
const BYTES = 200
/** For the buckets of one kind of event. */
const MEMORY = 20_000 * BYTES

interface Bucket {
  level: number
  /** When `level` was right, or began to rise. */
  at: number
}

/**
 * A bucket holds a minute's worth of events. It drains evenly (a retry after the returned wait passes), or at once a
 * minute after its first event (guessing gets none through). When there are too many, that of the longest silence goes.
 */
export class Buckets {
  readonly #emptied
  readonly #now
  readonly #buckets: ByteCache<Bucket>

  /** @param now monotonic milliseconds @param memory in bytes */
  constructor(emptied: 'evenly' | 'at once', now: () => number, memory = MEMORY) {
    this.#emptied = emptied
    this.#now = now
    this.#buckets = byteCache(memory)
  }

  /** Counts an event of `name`, at most `most` a minute. @returns 0, or the milliseconds to wait */
  take(name: string, most: number): number {
    const bucket = this.#find(name, most)
    const wait = this.#wait(bucket, most)
    if (wait === 0) bucket.level++
    return wait
  }

  /** Milliseconds until one more event. */
  wait(name: string, most: number): number {
    return this.#wait(this.#find(name, most), most)
  }

  /** Removes an event again. */
  refund(name: string): void {
    const bucket = this.#buckets.get(name)
    if (bucket && bucket.level > 0) bucket.level--
  }

  forget(name: string): void {
    this.#buckets.delete(name)
  }

  /** Buckets held at present. */
  get size(): number {
    return this.#buckets.size
  }

  #wait({ level, at }: Bucket, most: number): number {
    if (level + 1 <= most) return 0
    return this.#emptied === 'evenly' ? ((level + 1 - most) * MINUTE) / most : at + MINUTE - this.#now()
  }

  #find(name: string, most: number): Bucket {
    const now = this.#now()
    let bucket = this.#buckets.get(name)
    if (bucket === undefined) this.#buckets.set(name, (bucket = { level: 0, at: now }), { size: BYTES })
    if (this.#emptied === 'evenly') {
      bucket.level = Math.max(0, bucket.level - ((now - bucket.at) * most) / MINUTE)
      bucket.at = now
    } else if (bucket.level === 0 || now - bucket.at >= MINUTE) {
      bucket.level = 0
      bucket.at = now
    }
    return bucket
  }
}

/** A sentence with the time to wait in seconds. @param wait milliseconds */
export function retryIn(what: string, wait: number): { message: string; seconds: number } {
  const seconds = Math.ceil(wait / 1000)
  return { message: `${what}; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, seconds }
}
