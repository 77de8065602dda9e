/** The fields of a term in its form, and how the edits of two users merge. */
import type { GlossaryTerm, TermWords } from '../../glossary/glossary.ts'

/** Lists of words are named `<language>.use` and `<language>.avoid`. */
export interface TermFields {
  term: string
  note: string
  keep: boolean
  caseSensitive: boolean
  words: Readonly<Record<string, readonly string[]>>
}

/** Without a term the fields are empty. */
export function fieldsOf(term?: GlossaryTerm): TermFields {
  const words = Object.entries(term?.translations ?? {}).flatMap(([language, { use = [], avoid = [] }]) => [
    [`${language}.use`, use] as const,
    [`${language}.avoid`, avoid] as const,
  ])
  return {
    term: term?.term ?? '',
    note: term?.note ?? '',
    keep: term?.keep ?? false,
    caseSensitive: term?.caseSensitive ?? false,
    words: Object.fromEntries(words.filter(([, list]) => list.length > 0)),
  }
}

/** The canonical term, without empty members. */
export function termOf({ term, note, keep, caseSensitive, words }: TermFields): GlossaryTerm {
  const languages = new Set(Object.keys(words).flatMap(name => (words[name]!.length > 0 ? name.split('.')[0]! : [])))
  const translations = [...languages].sort().map((language): [string, TermWords] => {
    const { [`${language}.use`]: use = [], [`${language}.avoid`]: avoid = [] } = words
    return [language, { ...(use.length > 0 && { use }), ...(avoid.length > 0 && { avoid }) }]
  })
  return {
    term: term.trim(),
    ...(note !== '' && { note }),
    ...(caseSensitive && { caseSensitive }),
    ...(keep && { keep }),
    ...(translations.length > 0 && { translations: Object.fromEntries(translations) }),
  }
}

/** Whether two states of a term are equal; undefined is a missing one. */
export const isSameTerm = (one: GlossaryTerm | undefined, other: GlossaryTerm | undefined): boolean =>
  (one === undefined) === (other === undefined) && changedFields(fieldsOf(one), fieldsOf(other)).length === 0

/** Names of the fields that differ: `note`, `de.use`. */
export function changedFields(before: TermFields, after: TermFields): string[] {
  const names = new Set([...NAMES, ...Object.keys(before.words), ...Object.keys(after.words)])
  return [...names].filter(name => JSON.stringify(valueAt(before, name)) !== JSON.stringify(valueAt(after, name)))
}

const valueAt = (fields: TermFields, name: string): string | boolean | readonly string[] =>
  isOwnField(name) ? fields[name] : (fields.words[name] ?? [])

/** A field on one line, as it is typed. */
export function fieldText(fields: TermFields, name: string): string {
  const value = valueAt(fields, name)
  return typeof value === 'object' ? value.map(quoted).join(', ') : String(value)
}

const NAMES = ['term', 'note', 'keep', 'caseSensitive'] as const
const isOwnField = (name: string): name is (typeof NAMES)[number] => (NAMES as readonly string[]).includes(name)

/** Fields that `mine` left as in `base` become those of `theirs`. */
export function mergeFields(base: TermFields, mine: TermFields, theirs: TermFields): TermFields {
  const merged = { ...theirs, words: { ...theirs.words } }
  // Lists that the other user emptied remain in the form.
  for (const name of Object.keys(mine.words)) merged.words[name] ??= []
  for (const name of changedFields(base, mine))
    if (isOwnField(name)) Object.assign(merged, { [name]: mine[name] })
    else merged.words[name] = mine.words[name] ?? []
  return merged
}

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

/** The field that a refusal is about: `term`, `note`, `de.use`; undefined for none. @param sentence of the server */
export function refusedField(sentence: string): string | undefined {
  const why = sentence.replace(/^The term ".*?" does not fit: /, '')
  const list = /"translations\.([^".]+)(?:\.(use|avoid))?"/.exec(why)
  if (list) return `${list[1]}.${list[2] ?? 'use'}`
  if (/"note"/.test(why)) return 'note'
  return /^"term"|^These terms stand twice/.test(why) ? 'term' : undefined
}
