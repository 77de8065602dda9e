/** The words of a text, by Unicode (UAX 29) where a script has no spaces, else runs of letters and digits. */

/** A word and its place, in code units. */
export interface PlacedWord {
  text: string
  from: number
  to: number
}

/** Scripts that write no spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Letters and digits, with apostrophes between them. Joiners are letters. */
const WORD = /[\p{L}\p{M}\p{N}\u200c\u200d]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu

/** Whether a text has words that no spaces part. */
export const isSpaceless = (text: string): boolean => SPACELESS.test(text)

export function wordsIn(text: string): PlacedWord[] {
  const words: PlacedWord[] = []
  if (!isSpaceless(text)) {
    for (const { 0: word, index } of text.matchAll(WORD)) words.push({ text: word, from: index, to: index + word.length })
    return words
  }
  for (const { segment, index, isWordLike } of segmenter().segment(text)) {
    if (isWordLike) words.push({ text: segment, from: index, to: index + segment.length })
  }
  return words
}

let known: Intl.Segmenter | undefined
/** Creating one costs a millisecond. Its dictionaries depend on the script, not on a language. */
const segmenter = () => (known ??= new Intl.Segmenter('und', { granularity: 'word' }))
