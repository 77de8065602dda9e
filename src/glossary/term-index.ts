/** Finds phrases in texts by the stems of their words. The cost depends on the text, not on the number of phrases. */
import { type Stemmer, stemmerOf } from './stem.ts'
import { isSpaceless, type PlacedWord, wordsIn } from './words.ts'

/** How a phrase has to stand in a text: by the stems of its words, or exactly. */
export interface Phrase<T> {
  text: string
  isExact: boolean
  value: T
}

/** A phrase in a text, in code units. */
export interface FoundPhrase<T> {
  phrase: Phrase<T>
  from: number
  to: number
}

/** Maximum words of a phrase in a script with spaces, and maximum segments in others. */
const MOST_WORDS = 40
/** What may stand between the words of a phrase. */
const GAP = /^[\s\p{Pd}]*$/u
/** Signs that are part of a phrase such as `C++` or `a.*b`, which is then plain text. */
const SIGN = /[^\p{L}\p{M}\p{N}\s\p{Pd}'’\u200c\u200d]/u

export class TermIndex<T> {
  readonly #language: string
  readonly #stem: Stemmer
  /** By the joined stems of the words. */
  readonly #phrases = new Map<string, Phrase<T>[]>()
  /** The most words of a phrase that begins with a stem. */
  readonly #longest = new Map<string, number>()
  /** Phrases with signs, in lower case. */
  readonly #plain = new Map<string, Phrase<T>[]>()
  /** The lengths of plain phrases by their first character. */
  readonly #lengths = new Map<string, Set<number>>()

  constructor(phrases: Iterable<Phrase<T>>, language: string) {
    this.#language = language.split('-')[0]!.toLowerCase()
    this.#stem = stemmerOf(language)
    for (const phrase of phrases) this.#add(phrase)
  }

  #add(phrase: Phrase<T>): void {
    const { text } = phrase
    if (SIGN.test(text) || isSpaceless(text)) {
      const plain = text.toLowerCase()
      push(this.#plain, plain, phrase)
      const first = String.fromCodePoint(plain.codePointAt(0)!)
      this.#lengths.set(first, (this.#lengths.get(first) ?? new Set()).add(plain.length))
      return
    }
    const stems = this.stemsOf(text)
    if (stems.length === 0 || stems.length > MOST_WORDS) return
    push(this.#phrases, stems.join(' '), phrase)
    this.#longest.set(stems[0]!, Math.max(stems.length, this.#longest.get(stems[0]!) ?? 0))
  }

  stemsOf(text: string): string[] {
    return wordsIn(text).map(word => this.#stem(word.text))
  }

  /** The phrases in a text, the longest ones where they overlap, in order. */
  find(text: string): FoundPhrase<T>[] {
    const found: FoundPhrase<T>[] = []
    if (this.#phrases.size + this.#plain.size === 0) return found
    if (this.#plain.size > 0) this.#findPlain(text, found)
    if (this.#phrases.size > 0) this.#findWords(text, found)
    if (found.length < 2) return found
    found.sort((a, b) => a.from - b.from || b.to - a.to)
    const names = new Set(found.filter(({ phrase }) => phrase.isExact).map(({ from }) => from))
    let behind = 0
    return found.filter((one, at) => {
      const before = found[at - 1]
      if (one.from < behind && !(before?.from === one.from && before.to === one.to)) return false
      behind = Math.max(behind, one.to)
      // A name in its own case is no inflection of a word: `Memos` is not `memo`.
      return one.phrase.isExact || !names.has(one.from)
    })
  }

  #findWords(text: string, found: FoundPhrase<T>[]): void {
    const words = wordsIn(text)
    for (let at = 0; at < words.length; at++) {
      let key = this.#stem(words[at]!.text)
      const most = this.#longest.get(key) ?? 0
      for (let count = 1; count <= most; count++) {
        if (count > 1) {
          const next = words[at + count - 1]
          if (!next || !GAP.test(text.slice(words[at + count - 2]!.to, next.from))) break
          key += ` ${this.#stem(next.text)}`
        }
        for (const phrase of this.#phrases.get(key) ?? []) {
          const these = words.slice(at, at + count)
          if (phrase.isExact && !this.#isExact(phrase.text, these)) continue
          if (this.#language === 'en' && isPlural(phrase.text) && !isPlural(these.at(-1)!.text)) continue
          found.push({ phrase, from: these[0]!.from, to: these.at(-1)!.to })
        }
      }
    }
  }

  /** Whether these words are those of a text, apart from what an apostrophe adds. */
  #isExact(text: string, words: PlacedWord[]): boolean {
    const wanted = wordsIn(text)
    return words.every(({ text: word }, at) => {
      const due = wanted[at]!.text
      return word === due || (word.startsWith(due) && /^['’]/.test(word.slice(due.length)))
    })
  }

  /** Substrings between the boundaries of words. */
  #findPlain(text: string, found: FoundPhrase<T>[]): void {
    const lower = text.toLowerCase()
    // Lower case may be longer: then places differ, and only a text with the same places can be searched.
    const searched = lower.length === text.length ? lower : text
    const ends = boundariesIn(searched)
    for (let at = 0; at < searched.length; at++) {
      const lengths = this.#lengths.get(String.fromCodePoint(searched.codePointAt(at)!))
      if (lengths === undefined || !ends.has(at)) continue
      for (const length of lengths) {
        if (!ends.has(at + length)) continue
        for (const phrase of this.#plain.get(searched.slice(at, at + length)) ?? []) {
          if (phrase.isExact && text.slice(at, at + length) !== phrase.text) continue
          found.push({ phrase, from: at, to: at + length })
        }
      }
    }
  }
}

/** An English term in the plural is another word than its singular: `settings`, but `setting up`. */
const isPlural = (text: string): boolean => /[^s]s(?:['’]|$)/i.test(text)

/** Where no word is cut. */
function boundariesIn(text: string): Set<number> {
  const inside = new Set<number>()
  for (const { from, to } of wordsIn(text)) for (let at = from + 1; at < to; at++) inside.add(at)
  const ends = new Set<number>()
  for (let at = 0; at <= text.length; at++) if (!inside.has(at)) ends.add(at)
  return ends
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
