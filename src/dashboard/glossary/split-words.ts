/** Words as they are typed into one field: separated by commas or lines. */

/** Commas of Latin, Arabic, Chinese and Japanese keyboards, and line breaks. */
const SEPARATOR = /[,،、，\n]/

/**
 * The complete words, and the rest that is still typed. A word in quotation marks may contain commas.
 * @example splitWords('cart, "Paris, Texas", ba') // { words: ['cart', 'Paris, Texas'], rest: ' ba' }
 */
export function splitWords(typed: string): { words: string[]; rest: string } {
  const words: string[] = []
  let from = 0
  let isQuoted = false
  for (let at = 0; at < typed.length; at++) {
    const sign = typed[at]!
    if (sign === '"' && (isQuoted || typed.slice(from, at).trim() === '')) isQuoted = !isQuoted
    else if (!isQuoted && SEPARATOR.test(sign)) {
      words.push(unquoted(typed.slice(from, at)))
      from = at + 1
    }
  }
  return { words: words.filter(word => word !== ''), rest: typed.slice(from) }
}

/** A word without white space and quotation marks around it. */
export function unquoted(typed: string): string {
  const word = typed.trim()
  return (word.length > 1 && word.startsWith('"') && word.endsWith('"') ? word.slice(1, -1) : word).trim()
}

/** A word as it is typed. */
export const quoted = (word: string): string =>
  SEPARATOR.test(word) || (word.startsWith('"') && word.endsWith('"')) ? `"${word}"` : word

/** All words of a field, with the one that is still typed. */
export function allWords(typed: string): string[] {
  const { words, rest } = splitWords(typed)
  const last = unquoted(rest)
  return last === '' ? words : [...words, last]
}
