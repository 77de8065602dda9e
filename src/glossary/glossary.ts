/** A glossary: how an organization or a project translates its terms. */
import { isObject } from '../bundle/body.ts'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import { checkLanguage, lineFault, shorten, textFault } from '../bundle/names.ts'

/** Words for a term in one language. */
export interface TermWords {
  /** The right words, the best one first. */
  use?: readonly string[]
  /** Forbidden words. */
  avoid?: readonly string[]
}

/** A term and its translations. */
export interface GlossaryTerm {
  /** A word or several, in the source language of the projects. */
  term: string
  note?: string
  /** Whether the term matches only in this case. */
  caseSensitive?: true
  /** Whether the term stays untranslated. */
  keep?: true
  /** By language. */
  translations?: Readonly<Record<string, TermWords>>
}

/** Terms in code-unit order. */
export type Glossary = readonly GlossaryTerm[]

/** Maximum number of terms in a file. */
export const MAX_TERMS = 10_000
/** Maximum number of characters of a term or word. */
export const MAX_WORD = 200
/** Maximum number of words in a list. */
export const MAX_WORDS = 20
/** Maximum number of languages of a term. */
export const MAX_LANGUAGES = 100
/** Maximum bytes of a term's note in UTF-8. */
export const MAX_TERM_NOTE = 4096

const MEMBERS: readonly string[] = ['term', 'note', 'caseSensitive', 'keep', 'translations']

/**
 * The terms of `{ "terms": [ … ] }` in canonical form, without empty members.
 * @throws Failure `invalid` for another shape; `unfit` naming the term and the member, or the terms that stand twice
 */
export function checkGlossary(value: unknown): Glossary {
  if (!isObject(value)) throw invalid('A glossary must be a JSON object: { "terms": [ … ] }.')
  const unknown = Object.keys(value).filter(name => name !== 'terms')
  if (unknown.length > 0) throw invalid(`A glossary has only "terms", not ${quoteSome(unknown)}.`)
  const { terms } = value
  if (!Array.isArray(terms)) throw invalid('"terms" must be a list of objects such as { "term": "cart" }.')
  return inOrder(terms.map(checkTerm))
}

/** Terms in order. @throws Failure `unfit` for too many, and naming those that stand twice */
export function inOrder(terms: readonly GlossaryTerm[]): Glossary {
  if (terms.length > MAX_TERMS) {
    throw unfit(`A glossary has at most ${MAX_TERMS.toLocaleString('en')} terms, not ${terms.length}.`)
  }
  refuseTwins(terms)
  return [...terms].sort((a, b) => (a.term < b.term ? -1 : 1))
}

function refuseTwins(terms: readonly GlossaryTerm[]): void {
  const byName = new Map<string, GlossaryTerm>()
  const twins: string[] = []
  for (const one of terms) {
    const name = foldTerm(one.term)
    const other = byName.get(name) ?? byName.get(one.term)
    if (other && areTwins(one, other)) twins.push(one.term)
    byName.set(name, one)
    byName.set(one.term, one)
  }
  if (twins.length === 0) return
  throw unfit(`These terms stand twice: ${quoteSome(twins)}. Terms that differ only in case need "caseSensitive".`)
}

/** Two terms that match the same words would contradict each other. Of case-sensitive ones, only equal ones do. */
export const areTwins = (one: GlossaryTerm, other: GlossaryTerm): boolean =>
  one.term === other.term ||
  (foldTerm(one.term) === foldTerm(other.term) && !(one.caseSensitive && other.caseSensitive))

/** A term as it is compared without case. */
export const foldTerm = (term: string): string => term.normalize('NFC').toLowerCase()

function checkTerm(value: unknown, at: number): GlossaryTerm {
  if (!isObject(value)) throw unfit(`Entry ${at + 1} of "terms" must be an object such as { "term": "cart" }.`)
  if (value.term === undefined) throw unfit(`Entry ${at + 1} of "terms" lacks "term".`)
  const term = checkWord(value.term, `"term" of entry ${at + 1}`)
  const refuse = (why: string): never => {
    throw unfit(`The term ${JSON.stringify(shorten(term))} does not fit: ${why}.`)
  }
  const unknown = Object.keys(value).filter(name => !MEMBERS.includes(name))
  if (unknown.length > 0) refuse(`unknown ${unknown.length === 1 ? 'field' : 'fields'} ${quoteSome(unknown)}`)
  const { note = '', caseSensitive = false, keep = false, translations = {} } = value
  if (typeof note !== 'string') return refuse('"note" must be a string')
  const fault = textFault(note)
  if (fault !== undefined) refuse(`"note" ${fault}`)
  if (new TextEncoder().encode(note).length > MAX_TERM_NOTE) refuse(`"note" has more than ${MAX_TERM_NOTE} bytes`)
  if (typeof caseSensitive !== 'boolean') refuse('"caseSensitive" must be true or false')
  if (typeof keep !== 'boolean') refuse('"keep" must be true or false')
  if (!isObject(translations)) return refuse('"translations" must be an object such as { "de": { "use": ["…"] } }')
  const words = checkTranslations(translations, refuse)
  return {
    term,
    ...(note !== '' && { note }),
    ...(caseSensitive === true && { caseSensitive }),
    ...(keep === true && { keep }),
    ...(words && { translations: words }),
  }
}

type Refuse = (why: string) => never

function checkTranslations(
  translations: Record<string, unknown>,
  refuse: Refuse,
): GlossaryTerm['translations'] | undefined {
  const languages = Object.keys(translations).sort()
  if (languages.length > MAX_LANGUAGES) refuse(`it has more than ${MAX_LANGUAGES} languages`)
  const found: [string, TermWords][] = []
  for (const language of languages) {
    checkLanguage(language)
    const words = translations[language]
    const where = `"translations.${language}"`
    if (!isObject(words)) return refuse(`${where} must be an object such as { "use": ["…"] }`)
    const unknown = Object.keys(words).filter(name => name !== 'use' && name !== 'avoid')
    if (unknown.length > 0) refuse(`${where} has only "use" and "avoid", not ${quoteSome(unknown)}`)
    const [use, avoid] = [words.use, words.avoid].map((list = [], at) =>
      checkWords(list, `${where.slice(0, -1)}.${at === 0 ? 'use' : 'avoid'}"`, refuse),
    ) as [string[], string[]]
    const both = use.find(word => avoid.includes(word))
    if (both !== undefined) refuse(`${where} both uses and avoids ${JSON.stringify(both)}`)
    if (use.length + avoid.length === 0) continue
    found.push([language, { ...(use.length > 0 && { use }), ...(avoid.length > 0 && { avoid }) }])
  }
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

function checkWords(list: unknown, where: string, refuse: Refuse): string[] {
  if (!Array.isArray(list)) return refuse(`${where} must be a list of words`)
  if (list.length > MAX_WORDS) refuse(`${where} has more than ${MAX_WORDS} words`)
  return [...new Set(list.map(word => checkWord(word, where)))]
}

/** A word, or several, without white space around them. @throws Failure `unfit` */
function checkWord(value: unknown, what: string): string {
  if (typeof value !== 'string') throw unfit(`${what} must be a string.`)
  const word = value.trim()
  const fault = lineFault(word, MAX_WORD)
  if (fault !== undefined) throw unfit(`${what} ${fault}.`)
  return word
}

const invalid = (sentence: string) => new Failure('invalid', sentence)

const unfit = (sentence: string) => new Failure('unfit', sentence)

/** The canonical file of a glossary, null without terms. */
export function renderGlossary(terms: Glossary): string | null {
  return terms.length === 0 ? null : `${JSON.stringify({ terms }, null, 2)}\n`
}

/** The numbers of terms that differ between two glossaries. */
export interface GlossaryCounts {
  added: number
  updated: number
  removed: number
}

export function compareGlossaries(before: Glossary, after: Glossary): GlossaryCounts {
  const old = new Map(before.map(one => [one.term, JSON.stringify(one)]))
  const counts = { added: 0, updated: 0, removed: 0 }
  for (const one of after) {
    const was = old.get(one.term)
    old.delete(one.term)
    if (was === undefined) counts.added++
    else if (was !== JSON.stringify(one)) counts.updated++
  }
  return { ...counts, removed: old.size }
}
