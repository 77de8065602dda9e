/** A cache bounded in bytes: what was used longest ago leaves first. */

interface Kept<V> {
  key: string
  /** Undefined once it has left. */
  value: V | undefined
  bytes: number
  /** The next one that was used earlier, and the next one that was used later. */
  older: Kept<V> | undefined
  newer: Kept<V> | undefined
}

/**
 * A map from strings to values that holds at most `limitBytes`, by the sizes its callers state.
 * A value larger than the whole limit is not kept: it would drive out everything else for one use.
 *
 * The order of use is a list of its own. The order of a Map would do, but moving an entry there costs more than looking it up, and an
 * iterator kept to find the oldest one holds every table that the Map has outgrown, with all that was ever in it.
 */
export class ByteLru<V> {
  readonly #limit: number
  readonly #entries = new Map<string, Kept<V>>()
  #newest: Kept<V> | undefined
  #oldest: Kept<V> | undefined
  #bytes = 0

  /** @param limitBytes how many bytes the values may take together */
  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  /** The sum of the stated sizes of what is kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many values are kept. */
  get size(): number {
    return this.#entries.size
  }

  /** What was used longest ago, which leaves next; undefined when there is nothing. */
  get oldest(): { readonly key: string; readonly value: V; readonly bytes: number } | undefined {
    const oldest = this.#oldest
    return oldest && { key: oldest.key, value: oldest.value as V, bytes: oldest.bytes }
  }

  /** The value kept under `key`, which thereby becomes the most recently used. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#link(entry)
    }
    return entry.value
  }

  /** Keeps `value`, which takes `bytes`, in place of whatever `key` held, and drops old entries until all fit. */
  set(key: string, value: V, bytes: number): void {
    this.delete(key)
    if (bytes > this.#limit) return
    const entry: Kept<V> = { key, value, bytes, older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#link(entry)
    this.#bytes += bytes
    while (this.#bytes > this.#limit) this.delete(this.#oldest!.key)
  }

  /** Forgets `key`; no matter if it was not there. */
  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#unlink(entry)
    // A table that the Map has outgrown knows its entries still, and the table that came after it: together they hold what left until a full collection.
    entry.value = undefined
    this.#bytes -= entry.bytes
  }

  #link(entry: Kept<V>): void {
    entry.older = this.#newest
    entry.newer = undefined
    if (this.#newest) this.#newest.newer = entry
    else this.#oldest = entry
    this.#newest = entry
  }

  #unlink(entry: Kept<V>): void {
    const { older, newer } = entry
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
    // One that is gone, but too old for the quick collections, would hold its neighbour over them, and that one its own: all that ever came after.
    entry.older = undefined
    entry.newer = undefined
  }
}
