/** The notes of a namespace, read once for all of its keys. */
import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { Note } from '../../../../bundle/note.ts'
import { response } from '../../../api/answer.ts'
import { getNotes } from '../../../api/late-client.ts'

/** As they were read. */
export interface NamespaceNotes {
  byKey: ReadonlyMap<string, Note>
  /** The entity tag that a write expects. */
  etag: string | null
}

/** The query of a namespace's notes, for reads outside of components too. */
const notesQuery = (slug: string, namespace: string) => ({
  queryKey: ['project', slug, 'notes', namespace] as const,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<NamespaceNotes> => {
    const { data, headers } = await response(getNotes({ slug, $namespace: namespace }, { signal }))
    return { byKey: new Map(Object.entries(data.notes)), etag: headers.get('etag') }
  },
  structuralSharing: false as const,
})

/** See the file. Live events outdate it, but own saves of texts do not. */
export const useNotes = (slug: string, namespace: string) => useQuery(notesQuery(slug, namespace))

/** Reads the notes from the server now. */
export const readNotes = (queries: QueryClient, slug: string, namespace: string): Promise<NamespaceNotes> =>
  queries.fetchQuery({ ...notesQuery(slug, namespace), staleTime: 0 })
