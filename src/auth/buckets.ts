/** Counts events per minute by name, in bounded memory. */

const MINUTE = 60_000

interface Bucket {
  level: number
  /** When `level` was right, or began to rise. */
  at: number
}

/**
 * A bucket takes a minute's worth of events. It drains evenly (waiting as told gets one through), or at once a minute
 * after its first event (guessing gets none through). Two generations of a minute hold all that count; one with
 * `capacity` buckets ends early.
 */
export class Buckets {
  readonly #emptied
  readonly #now
  readonly #capacity
  #young = new Map<string, Bucket>()
  #old = new Map<string, Bucket>()
  #born: number

  /** @param now monotonic milliseconds; `capacity` buckets take about 150 bytes each */
  constructor(emptied: 'evenly' | 'at once', now: () => number, capacity = 20_000) {
    this.#emptied = emptied
    this.#now = now
    this.#capacity = capacity
    this.#born = now()
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

  /** Takes an event back. */
  giveBack(name: string): void {
    const bucket = this.#young.get(name) ?? this.#old.get(name)
    if (bucket && bucket.level > 0) bucket.level--
  }

  forget(name: string): void {
    this.#young.delete(name)
    this.#old.delete(name)
  }

  /** Buckets held at present. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  #wait({ level, at }: Bucket, most: number): number {
    if (level + 1 <= most) return 0
    return this.#emptied === 'evenly' ? ((level + 1 - most) * MINUTE) / most : at + MINUTE - this.#now()
  }

  #find(name: string, most: number): Bucket {
    const now = this.#now()
    if (now - this.#born >= MINUTE) this.#age(now)
    const bucket = this.#young.get(name) ?? this.#move(name, now)
    if (this.#emptied === 'evenly') {
      bucket.level = Math.max(0, bucket.level - ((now - bucket.at) * most) / MINUTE)
      bucket.at = now
    } else if (bucket.level === 0 || now - bucket.at >= MINUTE) {
      bucket.level = 0
      bucket.at = now
    }
    return bucket
  }

  #move(name: string, now: number): Bucket {
    const bucket = this.#old.get(name) ?? { level: 0, at: now }
    this.#old.delete(name)
    if (this.#young.size >= this.#capacity) this.#age(now)
    this.#young.set(name, bucket)
    return bucket
  }

  #age(now: number): void {
    this.#old = this.#young
    this.#young = new Map()
    this.#born = now
  }
}

/** A sentence with the time to wait in seconds. @param wait milliseconds */
export function putOff(what: string, wait: number): { message: string; seconds: number } {
  const seconds = Math.ceil(wait / 1000)
  return { message: `${what}; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, seconds }
}
