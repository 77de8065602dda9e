/** The fields of a term in its form, and how the edits of two users merge. */
import type { GlossaryTerm, TermWords } from '../../glossary/glossary.ts'
import { quoted } from './split-words.ts'

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
  const translations = languagesIn(words).map((language): [string, TermWords] => {
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

/** The languages with words, sorted. */
const languagesIn = (words: TermFields['words']): string[] =>
  [...new Set(Object.keys(words).flatMap(name => (words[name]!.length > 0 ? name.split('.')[0]! : [])))].sort()

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
  const mineChanged = new Set(changedFields(base, mine))
  const names = new Set([...Object.keys(mine.words), ...Object.keys(theirs.words)])
  const own = NAMES.map(name => [name, (mineChanged.has(name) ? mine : theirs)[name]])
  const words = [...names].map(name => [name, (mineChanged.has(name) ? mine : theirs).words[name] ?? []])
  return { ...(Object.fromEntries(own) as Omit<TermFields, 'words'>), words: Object.fromEntries(words) }
}
