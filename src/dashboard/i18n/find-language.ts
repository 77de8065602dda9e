/** Which language a person means: by its name in the reader's language, in English or in itself, or by its tag. */
import { checkLanguage } from '../../bundle/names.ts'
import { languageName, ownName } from './languages.ts'

/** The languages that most software is translated into, in regions and scripts that differ; offered first. */
const OFFERED =
  'ar|bg|bn|ca|cs|da|de|el|en|en-GB|en-US|es|es-419|et|eu|fa|fi|fil|fr|fr-CA|gl|gu|he|hi|hr|hu|hy|id|is|it|ja|ka|kk|km|kn|ko|lo|lt|lv|mk|ml|mn|mr|ms|my|nb|ne|nl|nn|pa|pl|pt|pt-BR|pt-PT|ro|ru|si|sk|sl|sq|sr|sr-Latn|sv|sw|ta|te|th|tr|uk|ur|uz|vi|zh-Hans|zh-Hant|zu'.split(
    '|',
  )

/**
 * Living languages with three-letter codes that CLDR names in most languages. The browser names those with two
 * letters.
 */
const OF_THREE =
  'ace|ast|bal|ban|bem|bho|brx|ceb|cgg|chr|ckb|crh|doi|dsb|ewo|frp|frr|fur|gsw|haw|hil|hmn|hsb|jbo|kab|kam|kea|kok|ksh|kum|lij|lmo|luo|mai|mni|mos|nap|nds|nqo|nso|nus|pap|pms|quc|rup|sah|sat|scn|sco|shi|szl|tet|tpi|tzm|vec|war|wuu|xog|yue|zgh'.split(
    '|',
  )

/** A language with the names that people know it by. */
export interface NamedLanguage {
  tag: string
  /** In the reader's language. */
  name: string
  /** In itself. */
  own: string
}

/** The match: one language, several candidates, a tag without a known name, or nothing. */
export type LanguageMatch =
  | { is: 'found'; tag: string }
  | { is: 'ambiguous'; languages: readonly NamedLanguage[] }
  | { is: 'nameless'; tag: string }
  | { is: 'unknown' }

/** Finds what a person typed. @param reader the language of the dashboard; BCP 47 */
export function findLanguage(typed: string, reader: string): LanguageMatch {
  const exact = exactly(typed, reader)
  if (exact !== undefined) return { is: 'found', tag: exact }
  const languages = fitting(typed, reader, allTags())
  if (languages.length === 1) return { is: 'found', tag: languages[0]!.tag }
  if (languages.length > 1) return { is: 'ambiguous', languages }
  const tag = asTag(typed)
  return tag === undefined ? { is: 'unknown' } : { is: 'nameless', tag }
}

/**
 * Languages to choose from, the best match first; all that are offered for ''. @param without tags that are left out
 */
export function suggestLanguages(typed: string, reader: string, without: readonly string[] = []): NamedLanguage[] {
  const isLeft = (tag: string) => !without.includes(tag)
  const exact = exactly(typed, reader)
  const named = exact !== undefined && isLeft(exact) ? [namedIn(exact, reader)] : []
  if (plain(typed) === '') return OFFERED.filter(isLeft).map(tag => namedIn(tag, reader))
  return [...named, ...fitting(typed, reader, allTags()).filter(({ tag }) => tag !== exact && isLeft(tag))]
}

function exactly(typed: string, reader: string): string | undefined {
  const tag = asTag(typed)
  if (tag !== undefined && isNamed(tag)) return tag
  const name = plain(typed)
  return name === '' ? undefined : allTags().find(tag => namesOf(tag, reader).includes(name))
}

/** First names that begin with the text, then names with a word that does, then all other matches. */
function fitting(typed: string, reader: string, tags: readonly string[]): NamedLanguage[] {
  const part = plain(typed)
  // One letter is part of nearly every name.
  if (part === '') return []
  const ranked = tags.flatMap(tag => {
    const names = namesOf(tag, reader)
    if (names.some(name => name.startsWith(part))) return [{ tag, rank: 0 }]
    if (names.some(name => name.includes(` ${part}`) || name.includes(`(${part}`))) return [{ tag, rank: 1 }]
    return part.length > 1 && names.some(name => name.includes(part)) ? [{ tag, rank: 2 }] : []
  })
  // The sort is stable: common languages precede rare ones.
  return ranked.sort((a, b) => a.rank - b.rank).map(({ tag }) => namedIn(tag, reader))
}

/**
 * The BCP 47 form of a tag: `en_US` becomes `en-US`, and a three-letter code its shorter form (`pol` becomes `pl`). A
 * two-letter code stays, even if ICU prefers another: an app may use `iw`.
 */
function asTag(typed: string): string | undefined {
  const [language = '', ...more] = typed.trim().replaceAll('_', '-').split('-')
  try {
    const written = new Intl.Locale([language, ...more].join('-')).toString()
    const tag = language.length === 2 ? [language.toLowerCase(), ...casedLike(written, more)].join('-') : written
    return checkLanguage(tag)
  } catch {
    return undefined
  }
}

/** Subtags with the upper case that they have in the canonical tag; as they are where that has others. */
function casedLike(written: string, subtags: readonly string[]): string[] {
  const cased = written.split('-').slice(1)
  return subtags.map(one => cased.find(other => other.toLowerCase() === one.toLowerCase()) ?? one)
}

/** Whether the language of a tag, in any script and region, has a name. */
function isNamed(tag: string): boolean {
  const [language = ''] = tag.split('-')
  return languageName(language, 'en') !== language
}

const namedIn = (tag: string, reader: string): NamedLanguage => ({
  tag,
  name: languageName(tag, reader),
  own: ownName(tag),
})

const names = new Map<string, readonly string[]>()

/** The names of a language as {@link plain} writes them. */
function namesOf(tag: string, reader: string): readonly string[] {
  const key = `${reader} ${tag}`
  const found = names.get(key) ?? [languageName(tag, reader), languageName(tag, 'en'), ownName(tag)].map(plain)
  names.set(key, found)
  return found
}

/** A name without what people leave out: accents, upper case, spaces at its ends. */
const plain = (name: string): string =>
  name.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase()

let all: readonly string[] | undefined

/** Each language that the browser has a name for, the usual ones first. */
function allTags(): readonly string[] {
  if (all) return all
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const pairs = letters.flatMap(first => letters.map(second => first + second))
  // Codes of today: `iw`, which became `he`, has the same name.
  const codes = pairs.filter(code => languageName(code, 'en') !== code && Intl.getCanonicalLocales(code)[0] === code)
  all = [...new Set([...OFFERED, ...codes, ...OF_THREE])]
  return all
}
