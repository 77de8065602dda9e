/** Token buckets: how often each of many may do something, in memory that does not grow with how many they are. */

interface Bucket {
  tokens: number
  /** When `tokens` was right, in milliseconds. */
  at: number
}

/**
 * A bucket holds `burst` tokens and gets `perSecond` back. One that was left alone for so long that it is full again is as good as
 * none, so that two generations, each as long as that takes, hold all that count; a generation with `capacity` buckets ends early.
 */
export class TokenBuckets {
  readonly #perMs: number
  readonly #burst: number
  readonly #capacity: number
  readonly #now: () => number
  readonly #generationMs: number
  #young = new Map<string, Bucket>()
  #old = new Map<string, Bucket>()
  #born: number

  /** @param now milliseconds that never go back; `capacity` buckets take about 150 bytes each */
  constructor(
    { perSecond, burst, capacity = 20_000 }: { perSecond: number; burst: number; capacity?: number },
    now: () => number,
  ) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#capacity = capacity
    this.#now = now
    this.#generationMs = burst / this.#perMs
    this.#born = now()
  }

  /** Takes a token of `name`. @returns 0, or when there is none how many seconds it takes until there is */
  take(name: string): number {
    const now = this.#now()
    if (now - this.#born >= this.#generationMs) this.#age(now)
    const bucket = this.#young.get(name) ?? this.#move(name, now)
    bucket.tokens = Math.min(this.#burst, bucket.tokens + (now - bucket.at) * this.#perMs)
    bucket.at = now
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#perMs / 1000
    bucket.tokens--
    return 0
  }

  /** Buckets held at present. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  #move(name: string, now: number): Bucket {
    const bucket = this.#old.get(name) ?? { tokens: this.#burst, at: now }
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
