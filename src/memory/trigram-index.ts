/**
 * Finds similar texts by trigrams. A posting says that a text has a trigram; those of one trigram and one class of
 * lengths are a list, in a bucket. Postings lie in arrays of numbers: their memory is known, and a list is read at the
 * speed of memory. New ones are linked, and packed before a search when there are many. A search reads
 * the lists of similar lengths only, and not the longest ones: what they could add is assumed. It reads those too when
 * many texts remain. The exact similarity of each text that remains is computed from its trigrams.
 */
import { countTrigrams, sharedTrigrams, similarity, trigramCount, trigramHash } from './trigrams.ts'

/** Less similar texts are no match. */
export const LEAST_SCORE = 60

/** Texts that one search compares at most, the most promising ones first. It bounds the work on odd texts. */
const MOST_COMPARED = 5_000
const BUCKETS = { least: 2 ** 10, most: 2 ** 18 }
/** Postings of a bucket on average, when an index is created and when a larger one is due. */
const ROOMY = 16
const CROWDED = 64
const FIRST_POSTINGS = 2 ** 12
/** Shorter buckets are always read. */
const COMMON = 64
/** The share of needed trigrams that may be assumed. More lets too many texts be compared, less reads more lists. */
const ASSUMED = 0.7
/** Texts of a class of lengths that are compared at most with assumed trigrams. For more, the other lists are read. */
const FEW = 64
/** The share of new postings that are packed before a search. */
const NEW_POSTINGS = 1 / 16
/** The lengths of a class differ by at most this factor. */
const CLASS_FACTOR = 1.25
/** Bytes of a text in the index beside its characters and postings. */
const TEXT_BYTES = 120

/** A text of the index. */
export interface RankedText {
  id: number
  /** In percent, at least {@link LEAST_SCORE}. */
  score: number
}

export class TrigramIndex {
  readonly #mostCompared: number
  readonly #texts: (string | undefined)[] = []
  /** A power of two. */
  readonly #buckets: number
  readonly #heads: Int32Array
  readonly #lengths: Uint32Array
  /** New postings: texts, and the place of the next posting of the list. */
  #ids = new Uint32Array(FIRST_POSTINGS)
  #nexts = new Int32Array(FIRST_POSTINGS)
  #added = 0
  /** Packed postings by bucket, and where each bucket begins. */
  #packed = new Uint32Array(0)
  readonly #starts: Uint32Array
  #textBytes = 0
  /** Postings of removed texts. */
  #dead = 0
  /** Of each text, the postings that the present search has read. */
  #hits = new Uint16Array(FIRST_POSTINGS)

  /** @param units the sum of the lengths of the texts that it is for, about */
  constructor(units = 0, mostCompared = MOST_COMPARED) {
    this.#mostCompared = mostCompared
    this.#buckets = Math.min(BUCKETS.most, Math.max(BUCKETS.least, 2 ** Math.ceil(Math.log2((units + 1) / ROOMY))))
    this.#heads = new Int32Array(this.#buckets).fill(-1)
    this.#lengths = new Uint32Array(this.#buckets)
    this.#starts = new Uint32Array(this.#buckets + 1)
  }

  /** The bytes of texts and postings, also of removed ones. */
  get bytes(): number {
    return this.#textBytes + this.#packed.byteLength + this.#ids.byteLength * 2 + this.#buckets * 12
  }

  /** Whether a new index is due: more than half of the postings are of removed texts, or there are too few buckets. */
  get isWorn(): boolean {
    const postings = this.#packed.length + this.#added
    const isCrowded = this.#buckets < BUCKETS.most && postings > this.#buckets * CROWDED
    return isCrowded || (this.#dead > FIRST_POSTINGS && this.#dead * 2 > postings)
  }

  /** @returns the text's number */
  add(text: string): number {
    const id = this.#texts.push(text) - 1
    if (id >= this.#hits.length) this.#hits = new Uint16Array(id * 2)
    const lengths = classOf(trigramCount(text))
    for (let at = 0; at <= text.length; at++) this.#post(this.#bucketOf(trigramHash(text, at), lengths), id)
    this.#textBytes += TEXT_BYTES + text.length * 2
    return id
  }

  remove(id: number): void {
    this.#dead += trigramCount(this.#texts[id]!)
    this.#texts[id] = undefined
  }

  /**
   * The texts that resemble another, the most similar one first. Nothing may change before it ends.
   * @param isWanted others are not compared
   * @param onBound more similar texts than the following ones may be left out, as too many are alike
   */
  *ranked(
    text: string,
    isWanted: (id: number) => boolean = () => true,
    onBound: () => void = () => {},
  ): Generator<RankedText, void, undefined> {
    if (this.#added > FIRST_POSTINGS && this.#added > this.#packed.length * NEW_POSTINGS) this.#pack()
    const counts = countTrigrams(text)
    const count = trigramCount(text)
    const candidates = this.#candidates(text, count)
    // Compared ones, by ascending score: each is due when no other can be better.
    const compared: RankedText[] = []
    let left = this.#mostCompared
    for (const { id, most } of candidates) {
      while (compared.length > 0 && compared.at(-1)!.score >= most) yield compared.pop()!
      if (!isWanted(id)) continue
      if (left-- === 0) {
        onBound()
        break
      }
      const other = this.#texts[id]!
      const score = similarity(sharedTrigrams(counts, other), count, trigramCount(other))
      if (score >= LEAST_SCORE) insert(compared, { id, score })
    }
    while (compared.length > 0) yield compared.pop()!
  }

  /** Texts with the highest similarity that they can have, from the highest. */
  #candidates(text: string, count: number): { id: number; most: number }[] {
    const hashes = new Map<number, number>()
    for (let at = 0; at <= text.length; at++) {
      const hash = trigramHash(text, at)
      hashes.set(hash, (hashes.get(hash) ?? 0) + 1)
    }
    // Of two similar texts, the shorter one has at least this share of the trigrams of the other.
    const share = LEAST_SCORE / (200 - LEAST_SCORE)
    const candidates: { id: number; most: number }[] = []
    // Of an empty text the lower bound would be 0, which has no logarithm.
    const shortest = classOf(Math.max(1, Math.floor(count * share)))
    for (let lengths = shortest; lengths <= classOf(Math.ceil(count / share)); lengths++) {
      this.#addCandidates(candidates, hashes, count, lengths)
    }
    return candidates.sort((a, b) => b.most - a.most || a.id - b.id)
  }

  /** Adds those of a class of lengths. */
  #addCandidates(
    candidates: { id: number; most: number }[],
    hashes: ReadonlyMap<number, number>,
    count: number,
    lengths: number,
  ): void {
    // Two texts of these lengths share at least this number of trigrams, when they are similar.
    const needed = Math.ceil((LEAST_SCORE * (count + leastOf(lengths))) / 200)
    const buckets = new Map<number, number>()
    for (const [hash, weight] of hashes) {
      const bucket = this.#bucketOf(hash, lengths)
      if (this.#lengths[bucket]! > 0) buckets.set(bucket, (buckets.get(bucket) ?? 0) + weight)
    }
    let assumed = 0
    const found: number[] = []
    const unread: number[] = []
    for (const [bucket, weight] of [...buckets].sort(([a], [b]) => this.#lengths[b]! - this.#lengths[a]!)) {
      if (this.#lengths[bucket]! > COMMON && assumed + weight < needed * ASSUMED) {
        assumed += weight
        unread.push(bucket)
      } else {
        this.#read(bucket, id => {
          if (this.#hits[id]!++ === 0) found.push(id)
        })
      }
    }
    const mostOf = (id: number): number => {
      const otherCount = trigramCount(this.#texts[id]!)
      return similarity(Math.min(this.#hits[id]! + assumed, count, otherCount), count, otherCount)
    }
    const similar = found.filter(id => {
      const isSimilar = this.#texts[id] !== undefined && mostOf(id) >= LEAST_SCORE
      if (!isSimilar) this.#hits[id] = 0
      return isSimilar
    })
    if (similar.length > FEW) {
      // Reading the other lists costs less than comparing all of these.
      for (const bucket of unread) {
        this.#read(bucket, id => {
          if (this.#hits[id]! > 0) this.#hits[id]!++
        })
      }
      assumed = 0
    }
    for (const id of similar) {
      const most = mostOf(id)
      if (most >= LEAST_SCORE) candidates.push({ id, most })
      this.#hits[id] = 0
    }
  }

  /** Calls back for each posting of a bucket, with its text. */
  #read(bucket: number, use: (id: number) => void): void {
    const [packed, ids, nexts] = [this.#packed, this.#ids, this.#nexts]
    for (let at = this.#starts[bucket]!, end = this.#starts[bucket + 1]!; at < end; at++) use(packed[at]!)
    for (let at = this.#heads[bucket]!; at !== -1; at = nexts[at]!) use(ids[at]!)
  }

  /** Packs new postings with the others. */
  #pack(): void {
    const packed = new Uint32Array(this.#packed.length + this.#added)
    let to = 0
    for (let bucket = 0; bucket < this.#buckets; bucket++) {
      const [from, end] = [this.#starts[bucket]!, this.#starts[bucket + 1]!]
      this.#starts[bucket] = to
      for (let at = from; at < end; at++) packed[to++] = this.#packed[at]!
      for (let at = this.#heads[bucket]!; at !== -1; at = this.#nexts[at]!) packed[to++] = this.#ids[at]!
    }
    this.#starts[this.#buckets] = to
    this.#packed = packed
    this.#heads.fill(-1)
    this.#ids = new Uint32Array(FIRST_POSTINGS)
    this.#nexts = new Int32Array(FIRST_POSTINGS)
    this.#added = 0
  }

  #bucketOf(hash: number, lengths: number): number {
    return (hash ^ Math.imul(lengths, 0x9e3779b1)) & (this.#buckets - 1)
  }

  #post(bucket: number, id: number): void {
    const at = this.#added++
    if (at === this.#ids.length) {
      this.#ids = grown(this.#ids, new Uint32Array(at * 2))
      this.#nexts = grown(this.#nexts, new Int32Array(at * 2))
    }
    this.#ids[at] = id
    this.#nexts[at] = this.#heads[bucket]!
    this.#heads[bucket] = at
    this.#lengths[bucket]!++
  }
}

/** The class of a number of trigrams. */
const classOf = (count: number) => Math.floor(Math.log(count) / Math.log(CLASS_FACTOR))

/** No text of the class has fewer trigrams. */
const leastOf = (lengths: number) => Math.floor(CLASS_FACTOR ** lengths)

function grown<T extends Uint32Array | Int32Array>(from: T, to: T): T {
  to.set(from)
  return to
}

/** Inserts by ascending score; of equal scores the first one is popped first. */
function insert(sorted: RankedText[], one: RankedText): void {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (sorted[middle]!.score < one.score) from = middle + 1
    else to = middle
  }
  sorted.splice(from, 0, one)
}
