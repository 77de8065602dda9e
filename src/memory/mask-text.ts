/** Texts as the memory compares them: placeholders are masked, and case, numbers and spaces count little. */
import { type Interpolation, kindOf, placedIn } from '../bundle/placeholders.ts'

/** Code units of a text that are compared by trigrams. Equality compares all of them. */
export const LONGEST_COMPARED = 4_000

/** The stand-in of each kind of placeholder. No text that people write has these characters. */
const MASKS = { interpolation: '\u0001', nesting: '\u0002', tag: '\u0003' }

/** A text in two forms. */
export interface MaskedText {
  /** With masked placeholders. Two texts with equal ones are a match of 100. */
  exact: string
  /** Its start, without case, combining order, digits and runs of spaces. Trigrams are of this form. */
  folded: string
}

/** @param syntaxes of interpolations; in a place that fits several, the longest placeholder counts */
export function maskText(text: string, syntaxes: readonly (Interpolation | undefined)[]): MaskedText {
  const placed = syntaxes.flatMap(syntax => placedIn(text, syntax)).sort((a, b) => a.from - b.from || b.to - a.to)
  let exact = ''
  let behind = 0
  for (const { from, to, placeholder } of placed) {
    if (from < behind) continue
    exact += text.slice(behind, from) + MASKS[kindOf(placeholder)]
    behind = to
  }
  exact += text.slice(behind)
  return { exact, folded: fold(exact.slice(0, LONGEST_COMPARED)) }
}

const fold = (text: string) =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\p{Nd}+/gu, '0')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_COMPARED)
