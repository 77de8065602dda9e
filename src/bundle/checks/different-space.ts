/** White space around a text. Apps join texts, so a space that only one side has is visible. */
import { scriptOf } from './script-of.ts'
import type { TextDifference } from './text-difference.ts'

/**
 * The ends, `start` and `end`, where one side alone has white space. Its kind and length do not matter. A language that
 * writes no spaces between words may lack those of the source.
 */
export function differentSpace(source: string, target: string, language: string): TextDifference | undefined {
  const [due, has] = [spaceAround(source), spaceAround(target)]
  if (due === has) return undefined
  const missing = endsOf(due & ~has)
  const extra = endsOf(has & ~due)
  const found = { missing: missing.length > 0 && scriptOf(language).withoutSpaces ? [] : missing, extra }
  return found.missing.length + found.extra.length === 0 ? undefined : found
}

const [START, END] = [1, 2]

const spaceAround = (text: string): number =>
  (isSpace(text.charCodeAt(0)) ? START : 0) | (isSpace(text.charCodeAt(text.length - 1)) ? END : 0)

const endsOf = (ends: number): string[] => [...(ends & START ? ['start'] : []), ...(ends & END ? ['end'] : [])]

/** White space of ECMAScript beyond ASCII, without U+FEFF, which is invisible. */
const WIDE = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

/** @param code NaN of an empty text */
function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  return WIDE.test(String.fromCharCode(code))
}
