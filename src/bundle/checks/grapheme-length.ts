/** The length of a text as its reader sees it, for the maximum that a note sets. */
import { type Interpolation, isMarkup, kindOf, placedIn } from '../placeholders.ts'

/** An HTML entity, which a browser shows as one character; some as none. */
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi
const UNSEEN_ENTITY = /^&(?:shy|zwn?j|lrm|rlm);$/i
/** Characters without a glyph of their own, such as soft hyphens and direction marks. */
const UNSEEN = /^\p{Default_Ignorable_Code_Point}+$/u

/** Characters of some scripts that never join a neighbour. Most texts have no others. */
const SINGLE = new RegExp(
  '^[\\u0020-\\u007e\\u00a0-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0482\\u048a-\\u052f\\u2010-\\u2027\\u3000-\\u3029' +
    '\\u3041-\\u3096\\u309b-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3]*$',
)

let segmenter: Intl.Segmenter | undefined

/**
 * The number of grapheme clusters of a text (UAX #29) without its tags, interpolations and nestings: their contents are
 * known at run time. Words in angle brackets that are no markup count. An HTML entity is one character, and a character
 * without a glyph is none.
 */
export function graphemeLength(text: string, interpolation: Interpolation): number {
  const placed = placedIn(text, interpolation)
  if (placed.length === 0) return clustersIn(text)
  const all = new Set(placed.map(({ placeholder }) => placeholder))
  let [length, at] = [0, 0]
  for (const { placeholder, from, to } of placed) {
    if (kindOf(placeholder) === 'tag' && !isMarkup(placeholder, all)) continue
    // A tag may hold an interpolation.
    if (from > at) length += clustersIn(text.slice(at, from))
    at = Math.max(at, to)
  }
  return length + clustersIn(text.slice(at))
}

function clustersIn(text: string): number {
  const shown = text.includes('&') ? text.replace(ENTITY, entity => (UNSEEN_ENTITY.test(entity) ? '' : '&')) : text
  if (SINGLE.test(shown)) return shown.length
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let count = 0
  for (const { segment } of segmenter.segment(shown)) if (!UNSEEN.test(segment)) count++
  return count
}
