/** Light stems: the part of a word that its inflected forms share. */
import { INFLECTIONS, type Inflection } from './inflection.ts'

/** Finds the stem of a word in one language. */
export type Stemmer = (word: string) => string

/** Remembered words of a stemmer. */
const MOST_KNOWN = 4_096

const stemmers = new Map<string, Stemmer>()

/** @param language BCP 47; without a table for it, a word loses its last letters if it is long */
export function stemmerOf(language: string): Stemmer {
  const name = language.split('-')[0]!.toLowerCase()
  const found = stemmers.get(name)
  if (found) return found
  const inflection = Object.hasOwn(INFLECTIONS, name) ? INFLECTIONS[name] : undefined
  const known = new Map<string, string>()
  const stemmer = (word: string): string => {
    let stem = known.get(word)
    if (stem !== undefined) return stem
    const folded = foldWord(word, name)
    stem = inflection ? stemBy(folded, inflection) : folded.slice(0, Math.max(LEAST, folded.length - LOST))
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(word, stem)
    return stem
  }
  if (stemmers.size < MOST_STEMMERS) stemmers.set(name, stemmer)
  return stemmer
}

/** Minimum letters that stay of a word in an unknown language, and maximum letters that it loses. */
const [LEAST, LOST] = [5, 2]
/** Letters that follow a beginning. */
const LEAST_WORD = 2
/** A caller may name any number of languages. */
const MOST_STEMMERS = 64

/** Letters that Unicode does not decompose. */
const PLAIN: Record<string, string> = { ł: 'l', ß: 'ss', ı: 'i', ø: 'o', æ: 'ae', œ: 'oe', đ: 'd', ə: 'e' }
/** Alef and its kin, as they are written with less care. */
const ARABIC: Record<string, string> = { أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ة: 'ه', ـ: '' }
/** Diacritics, and vowel signs of Hebrew and Arabic. Marks of other scripts are letters, and so is a hamza. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0670]/g
/**
 * Letters that are more than a letter with a mark: Polish vowels alternate in `błąd` and `błędu`, and ż is no z. Hebrew
 * has other letters at the end of a word.
 */
const LETTERS: Readonly<Record<string, readonly (readonly [letter: string, as: string])[]>> = {
  pl: [
    ['ę', 'a'],
    ['ż', 'ʒ'],
  ],
  he: [
    ['ך', 'כ'],
    ['ם', 'מ'],
    ['ן', 'נ'],
    ['ף', 'פ'],
    ['ץ', 'צ'],
  ],
}
/** Languages with an article before an apostrophe, which the word follows: `l’utente`. */
const ELIDING = new Set(['fr', 'it', 'ca'])

/** A word in lower case, without diacritics and without what an apostrophe adds. */
export function foldWord(word: string, language: string): string {
  const small = (language === 'tr' || language === 'az' ? word.toLocaleLowerCase('tr') : word.toLowerCase()).normalize(
    'NFC',
  )
  const parts = small.split(/['’]/)
  const part = (ELIDING.has(language) ? parts.at(-1)! : parts[0]!) || small
  if (/^[a-z0-9]*$/.test(part)) return part
  const own = (LETTERS[language] ?? []).reduce((word, [letter, as]) => word.replaceAll(letter, as), part)
  const arabic = own.replace(/[أإآٱىةـ]/g, letter => ARABIC[letter]!)
  return arabic
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(/[łßıøæœđə]/g, letter => PLAIN[letter]!)
    .normalize('NFC')
}

function stemBy(word: string, { beginnings = [], endings, least, fits, level }: Inflection): string {
  const beginning = beginnings.find(one => word.startsWith(one) && word.length - one.length >= LEAST_WORD)
  let stem = beginning === undefined ? word : word.slice(beginning.length)
  let last = ''
  for (const list of endings) {
    const ending = list.find(one => {
      const left = stem.length - one.length
      if (left < (typeof least === 'number' ? least : least(one)) || !stem.endsWith(one)) return false
      return fits?.(one, stem.slice(0, left)) ?? true
    })
    if (ending === undefined) continue
    stem = stem.slice(0, -ending.length)
    last = ending
  }
  return level ? level(stem, last) : stem
}
