/** Whether a translation has a word, however it is inflected. In doubt it has: a false alarm costs more than a miss. */
import { foldWord, stemmerOf } from './stem.ts'
import { isSpaceless, wordsIn } from './words.ts'

/** A translation to look for words in. */
export class SearchedText {
  readonly #text: string
  readonly #language: string
  #words: string[] | undefined
  #skeletons: string[] | undefined

  constructor(text: string, language: string) {
    this.#text = text
    this.#language = language
  }

  /** Whether the text has all words of a phrase, in any order: grammar may part and move them. */
  uses(phrase: string): boolean {
    const lower = this.#text.toLowerCase()
    if (isSpaceless(phrase)) return lower.replace(/\s/g, '').includes(phrase.toLowerCase().replace(/\s/g, ''))
    const words = wordsIn(phrase)
    if (words.length === 0) return lower.includes(phrase.toLowerCase())
    return words.every(({ text }) => this.#has(text)) || this.#hasInOne(words.map(({ text }) => text))
  }

  /** Whether the text has a phrase as it stands. */
  has(phrase: string, caseSensitive: boolean): boolean {
    return caseSensitive ? this.#text.includes(phrase) : this.#text.toLowerCase().includes(phrase.toLowerCase())
  }

  get #folded(): string[] {
    const name = nameOf(this.#language)
    this.#words ??= wordsIn(this.#text).flatMap(({ text }) => text.split(/['’]/).map(part => foldWord(part, name)))
    return this.#words
  }

  #has(word: string): boolean {
    const stemmer = stemmerOf(this.#language)
    const stem = stemmer(word)
    const folded = foldWord(word, nameOf(this.#language))
    if (this.#folded.some(one => one === folded || stemmer(one) === stem)) return true
    if (stem.length < LEAST) return this.#folded.some(one => this.#hasShort(one, folded))
    // Compounds, prefixes and endings that the table lacks.
    if (this.#folded.some(one => one.includes(stem) || one.includes(folded))) return true
    if (nameOf(this.#language) === 'tr' && this.#folded.some(one => beginsChanged(one, stem))) return true
    return this.#hasParted(folded) || this.#hasSkeleton(stem) || this.#hasSkeleton(folded)
  }

  /** Words of two letters are found in words of languages that add endings, and in Hebrew behind one-letter words. */
  #hasShort(word: string, short: string): boolean {
    const name = nameOf(this.#language)
    if (short.length < 2) return false
    return AGGLUTINATING.has(name) ? word.startsWith(short) : name === 'he' && word.endsWith(short)
  }

  /** German and Dutch part verbs: `anmelden` is `melden Sie sich an` and `anzumelden`. */
  #hasParted(word: string): boolean {
    if (!PARTING.has(nameOf(this.#language))) return false
    const prefix = PREFIXES.find(one => word.startsWith(one) && word.length - one.length >= LEAST)
    if (prefix === undefined) return false
    const rest = skeletonOf(stemmerOf(this.#language)(word.slice(prefix.length)))
    if (rest.length < 2) return false
    const has = (one: string) => skeletonOf(one).includes(rest)
    return (
      this.#folded.some(one => one.startsWith(prefix) && has(one.slice(prefix.length))) ||
      (this.#folded.includes(prefix) && this.#folded.some(has))
    )
  }

  /** Vowels change within words: `abbrechen` is `abgebrochen`, and broken plurals of Arabic have other long vowels. */
  #hasSkeleton(word: string): boolean {
    if (STEADY.has(nameOf(this.#language))) return false
    const wanted = skeletonsOf(word).filter(({ length }) => length >= LEAST)
    if (wanted.length === 0) return false
    this.#skeletons ??= this.#folded.flatMap(skeletonsOf)
    return this.#skeletons.some(one => wanted.some(two => one.includes(two)))
  }

  /** A phrase may be one compound: `user name` is `username`. */
  #hasInOne(words: string[]): boolean {
    if (words.length < 2) return false
    const joined = words.map(word => foldWord(word, nameOf(this.#language))).join('')
    return this.#folded.some(one => one.includes(joined.slice(0, Math.max(LEAST, joined.length - 2))))
  }
}

/** Letters that a stem needs to be looked for inside of words. */
const LEAST = 3

const nameOf = (language: string) => language.split('-')[0]!.toLowerCase()

const AGGLUTINATING = new Set(['tr', 'az', 'fi', 'et', 'hu'])
/** Vowels within their words stay, or the table knows better: other words have the same consonants. */
const STEADY = new Set(['fi', 'tr', 'az'])
const PARTING = new Set(['de', 'nl'])
const PREFIXES = [
  ...[
    'zurueck',
    'zuruck',
    'herunter',
    'weiter',
    'wieder',
    'hinzu',
    'heraus',
    'nieder',
    'voraus',
    'fest',
    'hoch',
    'frei',
  ],
  ...['fort', 'nach', 'auf', 'aus', 'bei', 'ein', 'her', 'hin', 'los', 'mit', 'vor', 'weg', 'ab', 'an', 'um', 'zu'],
  ...['terug', 'toe', 'uit', 'op', 'in', 'af', 'aan'],
]

/** Consonants; doubled ones once, but not those around a vowel. */
const skeletonOf = (word: string): string =>
  word.replace(/(.)\1+/g, '$1').replace(/[aeiouyاويأإآىئؤءеёиоуыэюяіїє]/g, '')

/** Also with a hamza as a consonant: it is one in `قوائم`, the plural of `قائمة`, and none in `رسائل` of `رسالة`. */
const skeletonsOf = (word: string): string[] =>
  /[ئؤء]/.test(word) ? [skeletonOf(word), skeletonOf(word.replace(/[ئؤء]/g, 'ʔ'))] : [skeletonOf(word)]

/** The last letter changes before a vowel: `kaydet` is in `kaydedildi`, and `ekle` in `ekliyor`. */
function beginsChanged(word: string, stem: string): boolean {
  const last = stem.at(-1)!
  const begin = stem.slice(0, -1)
  if (last === 'a' || last === 'e') return word.startsWith(begin) && /^[iu]yor/.test(word.slice(begin.length))
  return Object.hasOwn(SOFTER, last) && word.startsWith(begin + SOFTER[last])
}

const SOFTER: Record<string, string> = { p: 'b', t: 'd', k: 'g' }
