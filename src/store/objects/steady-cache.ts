/** A cache bounded in bytes for what is read in turn: what comes by once does not drive out what is asked for as often. */
import { ByteLru } from './byte-lru.ts'

/** Of the limit, for what came last: it is kept until it is known how often it is asked for. */
const NEWCOMERS = 1 / 64
/** By so much more often a newcomer must be asked for. In turns, each has come once more than what is still to come, and halved counts are off by one. */
const MARGIN = 3

/**
 * A map from strings to values that holds at most `limitBytes`, by the sizes its callers state.
 *
 * Reading ten thousand things in turn where five thousand have room, a cache that drops what was used longest ago never has the one that is
 * wanted next, and fills memory with what it dropped. This one stays as it is, and has every second.
 */
export class SteadyCache<V> {
  readonly #limit: number
  readonly #newcomers: ByteLru<V>
  readonly #settled: ByteLru<V>
  readonly #asked = new Frequencies()

  /** @param limitBytes how many bytes the values may take together */
  constructor(limitBytes: number) {
    this.#limit = limitBytes
    this.#newcomers = new ByteLru(limitBytes)
    this.#settled = new ByteLru(limitBytes)
  }

  /** The sum of the stated sizes of what is kept. */
  get bytes(): number {
    return this.#newcomers.bytes + this.#settled.bytes
  }

  /** The value kept under `key`; asking counts, whether there is one or not. */
  get(key: string): V | undefined {
    this.#asked.note(key, this.#settled.size)
    return this.#settled.get(key) ?? this.#newcomers.get(key)
  }

  /** Keeps `value`, which takes `bytes`, in place of whatever `key` held; for how long depends on how often it is asked for. */
  set(key: string, value: V, bytes: number): void {
    this.delete(key)
    this.#newcomers.set(key, value, bytes)
    while (this.bytes > this.#limit || this.#newcomers.bytes > this.#limit * NEWCOMERS) {
      const oldest = this.#newcomers.oldest
      if (oldest === undefined) return
      this.#newcomers.delete(oldest.key)
      if (this.#makeRoom(oldest)) this.#settled.set(oldest.key, oldest.value, oldest.bytes)
    }
  }

  /** As {@link set}, for what is sure to be asked for: it stays, and what was used longest ago leaves for it. */
  settle(key: string, value: V, bytes: number): void {
    this.delete(key)
    const most = this.#limit * (1 - NEWCOMERS)
    if (bytes > most) return
    while (this.#settled.bytes + bytes > most) this.#settled.delete(this.#settled.oldest!.key)
    this.#settled.set(key, value, bytes)
  }

  /** Forgets `key`; no matter if it was not there. */
  delete(key: string): void {
    this.#newcomers.delete(key)
    this.#settled.delete(key)
  }

  /** Whether there is room now for a newcomer. */
  #makeRoom({ key, bytes }: { key: string; bytes: number }): boolean {
    const most = this.#limit * (1 - NEWCOMERS)
    while (this.#settled.bytes + bytes > most) {
      const oldest = this.#settled.oldest
      if (oldest === undefined || this.#asked.of(key) < this.#asked.of(oldest.key) + MARGIN) return false
      this.#settled.delete(oldest.key)
    }
    return true
  }
}

/** So many that two keys seldom share both of theirs. */
const COUNTERS = 2 ** 16
const MOST = 63
/** What is left of four counters that are shifted together: not the bit that came from the neighbour. */
const HALVES = 0x7f7f7f7f
/** So many characters of a key tell it from the others, spread over all of it: most of it is an object's id. */
const TELLING = 16
/** All counts are halved when so many times as much was asked for as is kept, or as this. */
const MEMORY = 16
const LEAST_KEPT = 64

/** How often what was asked for of late: a count-min sketch, which may say more than there was and, but for what it forgot, never says less. */
class Frequencies {
  readonly #counters = new Uint8Array(COUNTERS)
  /** The same, four in each. */
  readonly #words = new Uint32Array(this.#counters.buffer)
  #notes = 0

  /** @param kept how many things the cache holds */
  note(key: string, kept: number): void {
    const hash = hashOf(key)
    const [a, b] = [hash % COUNTERS, hash >>> 16]
    if (this.#counters[a]! < MOST) this.#counters[a]! += 1
    if (a !== b && this.#counters[b]! < MOST) this.#counters[b]! += 1
    if (++this.#notes < Math.max(LEAST_KEPT, kept) * MEMORY) return
    this.#notes = 0
    for (let at = 0; at < this.#words.length; at++) this.#words[at] = (this.#words[at]! >>> 1) & HALVES
  }

  of(key: string): number {
    const hash = hashOf(key)
    return Math.min(this.#counters[hash % COUNTERS]!, this.#counters[hash >>> 16]!)
  }
}

/** FNV-1a, 32 bits, mixed once more so that all of them tell. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  const step = Math.ceil(key.length / TELLING)
  for (let at = key.length - 1; at >= 0; at -= step) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
