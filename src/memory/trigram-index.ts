/**
 * Finds similar texts by trigrams. A posting says that a text has a trigram; those of one trigram and one class of
 * lengths are a list, in a bucket. Postings lie in two arrays of numbers, so that their memory is known. A search reads
 * the lists of similar lengths only, and not the longest ones: what they could add is assumed. The exact similarity of
 * each text that remains is computed from its trigrams.
 */
import { countTrigrams, sharedTrigrams, similarity, trigramCount, trigramHash } from './trigrams.ts'

/** Less similar texts are no match. */
export const LEAST_SCORE = 60

/** Texts that one search compares at most, the most promising ones first. It bounds the work on alike texts. */
const MOST_COMPARED = 5_000
const BUCKETS = { least: 2 ** 10, most: 2 ** 18 }
/** Postings of a bucket on average, before a larger index is due. */
const CROWDED = 64
const FIRST_POSTINGS = 2 ** 12
/** Shorter buckets are always read. */
const COMMON = 64
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
  readonly #texts: (string | undefined)[] = []
  /** A power of two. */
  readonly #buckets: number
  readonly #heads: Int32Array
  readonly #lengths: Uint32Array
  #ids = new Uint32Array(FIRST_POSTINGS)
  #nexts = new Int32Array(FIRST_POSTINGS)
  #postings = 0
  #textBytes = 0
  /** Postings of removed texts. */
  #dead = 0
  /** Of each text, the postings that the present search has read. */
  #hits = new Uint16Array(FIRST_POSTINGS)

  /** @param texts how many it is for */
  constructor(texts = 0) {
    this.#buckets = Math.min(BUCKETS.most, Math.max(BUCKETS.least, 2 ** Math.ceil(Math.log2(texts + 1))))
    this.#heads = new Int32Array(this.#buckets).fill(-1)
    this.#lengths = new Uint32Array(this.#buckets)
  }

  /** The bytes of texts and postings, also of removed ones. */
  get bytes(): number {
    return this.#textBytes + this.#ids.byteLength + this.#nexts.byteLength + this.#buckets * 8
  }

  /** Whether a new index is due: more than half of the postings are of removed texts, or there are too few buckets. */
  get isWorn(): boolean {
    const isCrowded = this.#buckets < BUCKETS.most && this.#postings > this.#buckets * CROWDED
    return isCrowded || (this.#dead > FIRST_POSTINGS && this.#dead * 2 > this.#postings)
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

  /** The texts that resemble another, the most similar one first. Nothing may change before it ends. */
  *ranked(text: string): Generator<RankedText, void, undefined> {
    const counts = countTrigrams(text)
    const count = trigramCount(text)
    const candidates = this.#candidates(text, count)
    // Compared ones, by ascending score: each is due when no other can be better.
    const compared: RankedText[] = []
    for (const { id, most } of candidates.slice(0, MOST_COMPARED)) {
      while (compared.length > 0 && compared.at(-1)!.score >= most) yield compared.pop()!
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
    for (let lengths = classOf(Math.floor(count * share)); lengths <= classOf(Math.ceil(count / share)); lengths++) {
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
    for (const [bucket, weight] of [...buckets].sort(([a], [b]) => this.#lengths[b]! - this.#lengths[a]!)) {
      if (this.#lengths[bucket]! > COMMON && assumed + weight < needed) assumed += weight
      else this.#read(bucket, found)
    }
    for (const id of found) {
      const shared = this.#hits[id]! + assumed
      this.#hits[id] = 0
      const other = this.#texts[id]
      if (other === undefined) continue
      const otherCount = trigramCount(other)
      const most = similarity(Math.min(shared, count, otherCount), count, otherCount)
      if (most >= LEAST_SCORE) candidates.push({ id, most })
    }
  }

  /** Counts the postings of a bucket. @param found receives the texts that had none before */
  #read(bucket: number, found: number[]): void {
    const [hits, ids, nexts] = [this.#hits, this.#ids, this.#nexts]
    for (let at = this.#heads[bucket]!; at !== -1; at = nexts[at]!) {
      const id = ids[at]!
      if (hits[id]!++ === 0) found.push(id)
    }
  }

  #bucketOf(hash: number, lengths: number): number {
    return (hash ^ Math.imul(lengths, 0x9e3779b1)) & (this.#buckets - 1)
  }

  #post(bucket: number, id: number): void {
    const at = this.#postings++
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

/** No text of the class has fewer trigrams. Rounding errors make no difference to a whole number below. */
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
