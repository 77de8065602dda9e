/** A cache bounded in bytes: what was used longest ago leaves first. */

interface Kept<V> {
  value: V
  bytes: number
  /** How many values had ever been kept when it was last used. */
  usedAt: number
}

/**
 * A map from strings to values that holds at most `limitBytes`, by the sizes its callers state.
 * A value larger than the whole limit is not kept: it would drive out everything else for one use.
 */
export class ByteLru<V> {
  readonly #limit: number
  // A Map iterates in the order of insertion; re-inserting on every use keeps the least recently used entry first.
  readonly #entries = new Map<string, Kept<V>>()
  // All that it has passed is gone: a new one would step over the holes that every use leaves at the front, each time.
  readonly #oldest = this.#entries.keys()
  #bytes = 0
  /** How many values were ever kept. */
  #count = 0

  /** @param limitBytes how many bytes the values may take together */
  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  /** The sum of the stated sizes of what is kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** The value kept under `key`, which thereby becomes the most recently used. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // Moving it costs ten times the look-up. What was used since the last change is the newest there is, and while there is plenty
    // of room nothing is about to leave.
    if (entry.usedAt !== this.#count && this.#bytes > this.#limit / 2) {
      entry.usedAt = this.#count
      this.#entries.delete(key)
      this.#entries.set(key, entry)
    }
    return entry.value
  }

  /** Keeps `value`, which takes `bytes`, in place of whatever `key` held, and drops old entries until all fit. */
  set(key: string, value: V, bytes: number): void {
    this.delete(key)
    if (bytes > this.#limit) return
    this.#entries.set(key, { value, bytes, usedAt: ++this.#count })
    this.#bytes += bytes
    while (this.#bytes > this.#limit) this.delete(this.#oldest.next().value!)
  }

  /** Forgets `key`; no matter if it was not there. */
  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}
