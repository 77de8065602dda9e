/** The cached approvals and machine marks of a language, which a save changes. */
import type { QueryClient } from '@tanstack/react-query'
import type { RefusedRow } from '../model/row-marks.ts'
import { idOf, type KeyAddress } from '../model/rows.ts'

/** Ids of rows, as `RowMarks` has them. */
export interface ListedMarks {
  machine: string[]
  refused: readonly RefusedRow[]
  listed: string[] | null
  lists: 'approved' | 'unapproved'
}

/** The start of the keys of the queries. */
export const marksQuery = (slug: string, ...language: [string] | []) => [
  'project',
  slug,
  'status',
  'marks',
  ...language,
]

/** The start of the query keys of a language's suggestions. Live events outdate them. */
export const suggestionsKey = (slug: string, language: string) => ['project', slug, 'suggestions', language] as const

/** @param isWritten a person wrote the text: it is no machine's */
export function patchMarks(queries: QueryClient, place: KeyAddress, isApproved: boolean, isWritten: boolean): void {
  const id = idOf(place.namespace, place.key)
  queries.setQueriesData<ListedMarks>({ queryKey: marksQuery(place.slug, place.language) }, marks => {
    if (!marks) return marks
    const { lists, machine } = marks
    const others = (marks.listed ?? []).filter(one => one !== id)
    const listed = isApproved === (lists === 'approved') ? [...others, id] : others
    return {
      ...marks,
      listed: marks.listed || isApproved ? listed : null,
      machine: isWritten ? machine.filter(one => one !== id) : machine,
    }
  })
}
