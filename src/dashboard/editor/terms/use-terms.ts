/** The terms of the glossaries in a source text. */
import { useQuery } from '@tanstack/react-query'
import { blankUntranslated } from '../../../glossary/blank-untranslated.ts'
import type { GlossaryTerm } from '../../../glossary/glossary.ts'
import { mergeTerms, phraseOf } from '../../../glossary/term-checker.ts'
import { TermIndex } from '../../../glossary/term-index.ts'
import { glossaryQuery } from '../../glossary/glossary-reads.ts'
import { useEditor } from '../editor-context.ts'
import { MOST_CHARACTERS } from '../model/heavy.ts'

/** A term and its place in a text, in code units. */
export interface PlacedTerm {
  term: GlossaryTerm
  from: number
  to: number
}

/** Finds terms; those of the project win over those of the organization. */
interface TermFinder {
  etags: string
  find: (text: string) => readonly PlacedTerm[]
}

/** Undefined until the glossaries are read. The finder stays the same until one of them changes. */
export function useTerms(): TermFinder['find'] | undefined {
  const { slug, columns } = useEditor()
  const { source, interpolation } = columns
  const queryKey = ['project', slug, 'terms', source, interpolation]
  return useQuery({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ client }): Promise<TermFinder> => {
      const [own, above] = await Promise.all([
        client.fetchQuery(glossaryQuery(slug)),
        client.fetchQuery(glossaryQuery(undefined)),
      ])
      const etags = own.etag + above.etag
      const before = client.getQueryData<TermFinder>(queryKey)
      if (before?.etags === etags) return before
      const index = new TermIndex(mergeTerms(own.terms, above.terms).map(phraseOf), source)
      const find = (text: string) => {
        const found = index.find(blankUntranslated(text.slice(0, MOST_CHARACTERS), interpolation))
        return found.map(({ phrase, from, to }) => ({ term: phrase.value, from, to }))
      }
      return { etags, find }
    },
  }).data?.find
}
