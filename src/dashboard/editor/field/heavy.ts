/** Texts that are shown without highlights and preview: with them each key press would take too long. */

/** Characters up to which a text is highlighted and previewed. */
export const MOST_CHARACTERS = 20_000
/** Placeholders and tags up to which a text is highlighted and previewed. */
export const MOST_PLACEHOLDERS = 200

const BEGINS = /\{\{|\$t\(|</g

/** Whether a text is longer than that, or has more placeholders and tags. */
export function isHeavy(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return true
  let count = 0
  for (const _ of text.matchAll(BEGINS)) if (++count > MOST_PLACEHOLDERS) return true
  return false
}
