/** The cached texts, stale keys, approvals and machine marks of a language, which a save reads and changes. */
import type { QueryClient } from '@tanstack/react-query'
import type { Message } from '../../../bundle/message.ts'
import type { Key, KeyStatus } from '../../api/client.ts'
import type { RefusedRow } from '../model/filter.ts'
import { idOf, type KeyAddress, type NamespacedKey } from '../model/rows.ts'

export const languageQuery = (slug: string, language: string) => ['project', slug, 'bundle', language] as const

export const staleQuery = (slug: string, language: string) => ['project', slug, 'status', 'stale', language] as const

const isOf =
  ({ namespace, key }: NamespacedKey) =>
  (row: NamespacedKey) =>
    row.namespace === namespace && row.key === key

export const messageNow = (queries: QueryClient, { slug, language, ...name }: KeyAddress) =>
  queries.getQueryData<Key[]>(languageQuery(slug, language))?.find(isOf(name))?.message as Message | undefined

/** The stale key of a text; undefined for a current translation. */
export const staleNow = (queries: QueryClient, { slug, language, ...name }: KeyAddress) =>
  queries
    .getQueryData<KeyStatus[]>(staleQuery(slug, language))
    ?.find(row => isOf(name)(row) && row.is.includes('stale'))

/** Writes a key's message into the cache. A written text is no longer stale. */
export function patch(queries: QueryClient, place: KeyAddress, message: Message | undefined, { isStale = false } = {}) {
  const { slug, language, namespace, key } = place
  queries.setQueryData<Key[]>(languageQuery(slug, language), rows => {
    if (!rows) return rows
    const at = rows.findIndex(isOf(place))
    if (message === undefined) return at === -1 ? rows : rows.toSpliced(at, 1)
    const row: Key = { namespace, key, message }
    return at === -1 ? [...rows, row] : rows.with(at, row)
  })
  if (!isStale) unmarkStale(queries, place)
}

/** A text that was just written or confirmed is a translation of the current source. */
export const unmarkStale = (queries: QueryClient, { slug, language, ...name }: KeyAddress) =>
  queries.setQueryData<KeyStatus[]>(staleQuery(slug, language), keys =>
    keys?.some(isOf(name)) ? keys.filter(row => !isOf(name)(row)) : keys,
  )

/** An undone write: the text is stale again. */
export const markStale = (queries: QueryClient, { slug, language }: KeyAddress, stale: KeyStatus) =>
  queries.setQueryData<KeyStatus[]>(staleQuery(slug, language), keys => [...(keys ?? []), stale])

/** Ids of rows, as `RowMarks` has them. */
export interface ListedMarks {
  machine: string[]
  refused: readonly RefusedRow[]
  listed: string[] | null
  lists: 'approved' | 'unapproved'
}

/** The start of the keys of the queries of marks, in all languages or one. */
export const marksQuery = (slug: string, ...language: string[]) => ['project', slug, 'status', 'marks', ...language]

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
