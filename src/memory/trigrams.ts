/** Trigrams of code units. A text has one more than its length: two signs precede it, one follows. */

export const trigramCount = (text: string): number => text.length + 1

/** The code unit at a place of the text with the added signs. Outside the text it is 0. */
const unitAt = (text: string, at: number): number => (at < 0 || at >= text.length ? 0 : text.charCodeAt(at))

/** A 32-bit number for the trigram that ends at `at`, from 0 to the text's length. Two trigrams may share a number. */
export function trigramHash(text: string, at: number): number {
  const hash = Math.imul(Math.imul(unitAt(text, at - 2), 0x9e3779b1) ^ unitAt(text, at - 1), 0x85ebca6b)
  const mixed = Math.imul(hash ^ (hash >>> 15) ^ unitAt(text, at), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** The trigrams of a text with their numbers. */
export type TrigramCounts = ReadonlyMap<number, number>

/** A trigram as an exact number of 48 bits. */
const trigramAt = (text: string, at: number) =>
  unitAt(text, at - 2) * 2 ** 32 + unitAt(text, at - 1) * 2 ** 16 + unitAt(text, at)

export function countTrigrams(text: string): TrigramCounts {
  const counts = new Map<number, number>()
  for (let at = 0; at <= text.length; at++) {
    const trigram = trigramAt(text, at)
    counts.set(trigram, (counts.get(trigram) ?? 0) + 1)
  }
  return counts
}

/** How many trigrams a text shares with another; each occurrence counts once. */
export function sharedTrigrams(counts: TrigramCounts, text: string): number {
  const left = new Map<number, number>()
  let shared = 0
  for (let at = 0; at <= text.length; at++) {
    const trigram = trigramAt(text, at)
    const count = left.get(trigram) ?? counts.get(trigram) ?? 0
    if (count === 0) continue
    shared++
    left.set(trigram, count - 1)
  }
  return shared
}

/** The similarity of two texts in percent, rounded down: the Dice coefficient of their trigrams. */
export const similarity = (shared: number, count: number, otherCount: number): number =>
  Math.floor((200 * shared) / (count + otherCount))
