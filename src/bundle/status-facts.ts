/** The facts of a bundle that a status depends on, in a few bytes per key. Counting them again parses no file. */
import { createHash } from 'node:crypto'
import type { Interpolation } from './placeholders.ts'
import type { Bundle } from './resource.ts'
import {
  type Counts,
  type Facts,
  FLAGS,
  factsOf,
  isEmpty,
  noCounts,
  problemsOf,
  type RulesOfBoth,
  stateOf,
} from './status.ts'

/** See {@link BundleFacts}; survives the structured clone. */
export interface PackedFacts {
  /** All keys in code-unit order, one after the other. */
  names: string
  /** For each key where it ends in `names`, then its flags and, times {@link FLAGS}, the number of its placeholders. */
  table: Uint32Array | Float64Array
  /** The different placeholders of its keys; the first one is none. */
  placeholders: string[]
  /** Equal for bundles with equal facts: few changes of a text change its facts. */
  id: string
}

/** More keys with placeholders of their own do not fit into 32 bits beside the flags. */
const MOST_NARROW = 2 ** 32 / FLAGS

/** Packs a bundle. @param interpolation of its project; i18next's own by default */
export function packFacts({ tree }: Bundle, interpolation?: Interpolation): PackedFacts {
  const entries = tree.entries().map(entry => ({ key: entry.key, entry }))
  entries.sort((a, b) => (a.key < b.key ? -1 : 1))
  const Table = entries.length < MOST_NARROW ? Uint32Array : Float64Array
  const table = new Table(2 * entries.length)
  const numbers = new Map([['', 0]])
  let end = 0
  for (const [at, { key, entry }] of entries.entries()) {
    const { flags, placeholders } = factsOf(entry, interpolation)
    let number = numbers.get(placeholders)
    if (number === undefined) numbers.set(placeholders, (number = numbers.size))
    end += key.length
    table[2 * at] = end
    table[2 * at + 1] = flags + number * FLAGS
  }
  const names = entries.map(({ key }) => key).join('')
  const placeholders = [...numbers.keys()]
  // UTF-8 has no surrogate that stands alone.
  const hash = createHash('sha1').update(`${table.length} ${names.length} `).update(table).update(names, 'utf16le')
  return { names, table, placeholders, id: hash.update(JSON.stringify(placeholders)).digest('hex') }
}

/** Bytes of an object with its arrays, and of a place in a list. */
const SIZE = { own: 600, placeholders: 40 }

/** See the top of the file. */
export class BundleFacts {
  /** See {@link PackedFacts}. */
  readonly id: string
  readonly #names: string
  readonly #table: PackedFacts['table']
  readonly #placeholders: readonly string[]

  constructor({ names, table, placeholders, id }: PackedFacts) {
    this.id = id
    this.#names = names
    this.#table = table
    this.#placeholders = placeholders
  }

  static readonly EMPTY = new BundleFacts({ names: '', table: new Uint32Array(), placeholders: [''], id: '' })

  /** The number of keys. */
  get size(): number {
    return this.#table.length / 2
  }

  /** Bytes of memory. */
  get bytes(): number {
    const wide = /[^\0-\xff]/.test(this.#names) ? 2 : 1
    const placeholders = this.#placeholders.reduce((sum, one) => sum + 2 * one.length + SIZE.placeholders, 0)
    return SIZE.own + this.#names.length * wide + this.#table.byteLength + placeholders
  }

  /** Keys go by number. */
  key(at: number): string {
    return this.#names.slice(this.#start(at), this.#table[2 * at])
  }

  /** How many keys are the same in another bundle up to the first one that is not. */
  sharedWith(other: BundleFacts): number {
    const [own, theirs] = [this.#table, other.#table]
    const most = Math.min(own.length, theirs.length)
    let at = 0
    while (at < most && own[at] === theirs[at]) at += 2
    if (at === 0) return 0
    const end = own[at - 2]
    // Ends alone are the same of keys of the same lengths.
    return this.#names.slice(0, end) === other.#names.slice(0, end) ? at / 2 : 0
  }

  /** Whether it is the key of this number, which there may not be. */
  isKey(at: number, key: string): boolean {
    const start = this.#start(at)
    return this.#table[2 * at] === start + key.length && this.#names.startsWith(key, start)
  }

  /** The number of a key, undefined when it is not there. */
  find(key: string): number | undefined {
    let [from, to] = [0, this.size]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.key(middle) < key) from = middle + 1
      else to = middle
    }
    return this.isKey(from, key) ? from : undefined
  }

  #start(at: number): number {
    return at === 0 ? 0 : this.#table[2 * at - 2]!
  }

  /** A number for flags and placeholders of a key together, within this bundle. */
  facts(at: number): number {
    return this.#table[2 * at + 1]!
  }

  flags(at: number): number {
    return this.#table[2 * at + 1]! & (FLAGS - 1)
  }

  placeholders(at: number): string {
    return this.#placeholders[Math.floor(this.#table[2 * at + 1]! / FLAGS)]!
  }
}

/** Keys counted between two steps. */
const AT_ONCE = 500

/** Counts the keys of a source by their state in a target; {@link countStale} counts the stale ones. */
export function* countStatus(
  source: BundleFacts,
  target: BundleFacts,
  rules: RulesOfBoth,
): Generator<undefined, Counts, undefined> {
  const counts = noCounts()
  const problems = new Problems(source, target, rules)
  const { size } = target
  counts.keys = source.size
  const shared = source.sharedWith(target)
  let other = 0
  for (let at = 0; at < source.size; at++) {
    if (at % AT_ONCE === AT_ONCE - 1) yield
    let isThere = at < shared
    if (!isThere) {
      const key = source.key(at)
      while (other < size && !target.isKey(other, key) && target.key(other) < key) {
        counts.extra++
        other++
      }
      isThere = target.isKey(other, key)
    }
    const state = stateOf(source.flags(at), isThere ? target.flags(other) : 0, rules)
    counts[state]++
    if (!isThere) continue
    if (state !== 'empty' && problems.are(at, other)) counts.problems++
    other++
  }
  counts.extra += size - other
  return counts
}

/** Counts the stale keys. @param noted keys noted as stale; some may be empty or removed */
export function* countStale(
  source: BundleFacts,
  target: BundleFacts,
  noted: readonly string[],
): Generator<undefined, number, undefined> {
  let count = 0
  for (const [at, key] of noted.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) yield
    const found = source.find(key) === undefined ? undefined : target.find(key)
    if (found !== undefined && !isEmpty(target.flags(found))) count++
  }
  return count
}

const MOST_KNOWN = 1000

/** Whether keys have problems: most have no placeholders, and many have the same ones. */
class Problems {
  readonly #source: BundleFacts
  readonly #target: BundleFacts
  readonly #rules: RulesOfBoth
  /** By the facts of the source, then of the target. */
  readonly #known = new Map<number, Map<number, boolean>>()

  constructor(source: BundleFacts, target: BundleFacts, rules: RulesOfBoth) {
    this.#source = source
    this.#target = target
    this.#rules = rules
  }

  /** Of the keys of these numbers. */
  are(at: number, other: number): boolean {
    const [from, to] = [this.#source.facts(at), this.#target.facts(other)]
    if (from < FLAGS && to < FLAGS) return false
    let known = this.#known.get(from)
    if (known === undefined) {
      if (this.#known.size >= MOST_KNOWN) this.#known.clear()
      this.#known.set(from, (known = new Map()))
    }
    let found = known.get(to)
    if (found === undefined) {
      found = problemsOf(this.#factsOf(this.#source, at), this.#factsOf(this.#target, other), this.#rules).length > 0
      known.set(to, found)
    }
    return found
  }

  #factsOf(bundle: BundleFacts, at: number): Facts {
    return { flags: bundle.flags(at), placeholders: bundle.placeholders(at) }
  }
}
