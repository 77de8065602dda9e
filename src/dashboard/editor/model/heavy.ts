/** Texts without highlights and preview: with them, each key press would be slow. */
import { INTERPOLATION, type Interpolation } from '../../../bundle/placeholders.ts'

/** Maximum length of a text with highlights and preview. */
export const MOST_CHARACTERS = 20_000
/** Maximum number of placeholders and tags of a text with highlights and preview. */
export const MOST_PLACEHOLDERS = 200

/** The first characters of a placeholder or tag in every syntax. */
const BEGINS = /\$t\(|</g

/** Whether a text is longer than that, or has more placeholders and tags. */
export function isHeavy(text: string, { prefix, suffix }: Interpolation = INTERPOLATION): boolean {
  if (text.length > MOST_CHARACTERS) return true
  let count = 0
  for (const _ of text.matchAll(BEGINS)) if (++count > MOST_PLACEHOLDERS) return true
  for (let at = text.indexOf(prefix); at !== -1; at = text.indexOf(prefix, at)) {
    if (++count > MOST_PLACEHOLDERS) return true
    at += prefix.length
    // The next prefix is behind the suffix where both are the same.
    if (prefix === suffix) at = Math.max(at, text.indexOf(suffix, at) + suffix.length)
  }
  return false
}
