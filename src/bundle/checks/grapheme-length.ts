/** The length of a text as readers count it, for the maximum that a note sets. */
import { type Interpolation, isMarkup, kindOf, placedIn } from '../placeholders.ts'

/** One character, one grapheme cluster. */
const PLAIN = /^[\n\x20-\x7e]*$/

let segmenter: Intl.Segmenter | undefined

/**
 * The number of grapheme clusters (UAX 29) without placeholders: apps fill them. Words in angle brackets that are no
 * markup count.
 */
export function graphemeLength(text: string, interpolation: Interpolation): number {
  const placed = placedIn(text, interpolation)
  const all = new Set(placed.map(({ placeholder }) => placeholder))
  let length = 0
  let at = 0
  for (const { placeholder, from, to } of placed) {
    if (kindOf(placeholder) === 'tag' && !isMarkup(placeholder, all)) continue
    if (from > at) length += clustersIn(text.slice(at, from))
    at = Math.max(at, to)
  }
  return length + clustersIn(text.slice(at))
}

function clustersIn(text: string): number {
  if (PLAIN.test(text)) return text.length
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let count = 0
  for (const _ of segmenter.segment(text)) count++
  return count
}
