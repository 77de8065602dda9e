/** Reads of the glossaries of the organization and of a project. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { GlossaryTerm } from '../../glossary/glossary.ts'
import { response } from '../api/answer.ts'
import { getGlossary, getProjectGlossary } from '../api/late-client.ts'

/** The query of a glossary: its terms with their entity tag. @param slug undefined for the organization's */
export const glossaryQuery = (slug: string | undefined) =>
  queryOptions({
    queryKey: slug === undefined ? ['glossary'] : ['project', slug, 'glossary'],
    queryFn: async ({ signal }): Promise<{ terms: readonly GlossaryTerm[]; etag: string }> => {
      const call = slug === undefined ? getGlossary({}, { signal }) : getProjectGlossary({ slug }, { signal })
      const { data, headers } = await response(call)
      return { terms: data.terms as readonly GlossaryTerm[], etag: headers.get('etag') ?? '*' }
    },
    // Comparing 10,000 terms with those before is slower than rendering the visible ones.
    structuralSharing: false,
  })

/** See {@link glossaryQuery}. */
export const useGlossary = (slug: string | undefined) => useQuery(glossaryQuery(slug))
