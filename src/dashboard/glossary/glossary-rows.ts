/** The rows of a glossary's table. */
import type { GlossaryTerm } from '../../glossary/glossary.ts'
import { mergeTerms } from '../../glossary/term-checker.ts'

/** A term in the table. */
export interface GlossaryRow {
  id: string
  term: GlossaryTerm
  /** Whether it is a term of the organization in the table of a project. */
  isInherited: boolean
  /** Its text in lower case, for the search. */
  text: string
}

/** All terms by name. @param above terms of the organization, for a project */
export function rowsOf(own: readonly GlossaryTerm[], above: readonly GlossaryTerm[], reader: string): GlossaryRow[] {
  const { compare } = new Intl.Collator(reader)
  return mergeTerms(own, above)
    .map((term, at) => {
      const isInherited = at >= own.length
      return { id: `${isInherited ? '^' : ''}${term.term}`, term, isInherited, text: textOf(term).toLowerCase() }
    })
    .sort((one, other) => compare(one.term.term, other.term.term))
}

const textOf = ({ term, note = '', translations = {} }: GlossaryTerm): string =>
  [term, note, ...Object.values(translations).flatMap(({ use = [], avoid = [] }) => [...use, ...avoid])].join('\n')

/** The languages of terms, sorted. */
export const languagesOf = (terms: readonly GlossaryTerm[]): string[] =>
  [...new Set(terms.flatMap(({ translations = {} }) => Object.keys(translations)))].sort()
