/** What is asked of a machine of any kind, and what it answers. */
import type { GateFaultCode } from '../bundle/gate/gate-sentence.ts'
import type { WantedLeaf } from '../bundle/gate/wanted-leaves.ts'
import type { Message } from '../bundle/message.ts'
import type { Interpolation } from '../bundle/placeholders.ts'

/** The languages of a translation, and the project's placeholders. */
export interface TranslationPair {
  from: string
  to: string
  interpolation?: Interpolation | undefined
  /** Wishes for the style; only chat models read them. */
  style?: string | undefined
}

/** A term of the glossary in a source, with the words to use and those to avoid. */
export interface TermForMachine {
  term: string
  note?: string | undefined
  keep?: boolean | undefined
  use?: readonly string[] | undefined
  avoid?: readonly string[] | undefined
}

/** A text near the one to translate, with its translation where there is one. */
export interface TextNearby {
  key: string
  source: Message
  translation?: Message | undefined
}

/** A message to translate, and what is known about it. */
export interface TextToTranslate {
  key: string
  source: Message
  wanted: readonly WantedLeaf[]
  note?: string | undefined
  /** Maximum of characters. */
  max?: number | undefined
  terms: readonly TermForMachine[]
  neighbours: readonly TextNearby[]
  /** Of a stale translation: the source that it was written for, and itself. */
  previous?: { source: Message; translation: Message } | undefined
  /** Why the gate refused the first answer. */
  complaint?: string | undefined
}

/** A translation, or why an answer has none. */
export type RawTranslation = { message: Message } | { fault: GateFaultCode }

/** Whether a translation cannot be one, by its length. It also bounds the work on an answer. */
export const isFarLonger = (text: string, source: string): boolean => text.length > 8 * source.length + 400

/**
 * A translation between the white space around its source: apps join texts, and machines drop or add some. Letters are
 * composed (NFC) as in the source: searches and glossaries compare code units.
 */
export function withSpaceOf(source: string, text: string): string {
  const composed = source === source.normalize() ? text.normalize() : text
  const inner = source.trim()
  const begin = source.length - source.trimStart().length
  return source.slice(0, begin) + composed.trim() + source.slice(begin + inner.length)
}

/** Items in order, in batches. The sums of their sizes are at most `most`; a larger item is alone. */
export function inBatches<T>(
  items: readonly T[],
  most: readonly number[],
  sizesOf: (item: T) => readonly number[],
): T[][] {
  const batches: T[][] = []
  let sums: readonly number[] = []
  for (const item of items) {
    const sizes = sizesOf(item)
    const larger = sizes.map((size, at) => size + (sums[at] ?? 0))
    const fits = batches.length > 0 && larger.every((sum, at) => sum <= most[at]!)
    if (fits) batches.at(-1)!.push(item)
    else batches.push([item])
    sums = fits ? larger : sizes
  }
  return batches
}
