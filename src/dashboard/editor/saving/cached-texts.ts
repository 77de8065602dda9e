/** The cached texts and stale keys of a key, which a save reads and changes. */
import type { QueryClient } from '@tanstack/react-query'
import type { Message } from '../../../bundle/message.ts'
import type { Key, KeyStatus } from '../../api/client.ts'
import type { KeyAddress, NamespacedKey } from '../model/rows.ts'
import { languageQuery, staleQuery } from '../read.ts'

const isOf =
  ({ namespace, key }: NamespacedKey) =>
  (row: NamespacedKey) =>
    row.namespace === namespace && row.key === key

/** The cached message of a key. */
export const messageNow = (queries: QueryClient, { slug, language, ...name }: KeyAddress) =>
  queries.getQueryData<Key[]>(languageQuery(slug, language))?.find(isOf(name))?.message as Message | undefined

/** The stale key of a text; undefined for a current translation. */
export const staleNow = (queries: QueryClient, { slug, language, ...name }: KeyAddress) =>
  queries
    .getQueryData<KeyStatus[]>(staleQuery(slug, language))
    ?.find(row => isOf(name)(row) && row.is.includes('stale'))

/** Reads the texts of the key's language. */
export const readAgain = (queries: QueryClient, { slug, language }: KeyAddress) =>
  queries.refetchQueries({ queryKey: languageQuery(slug, language), exact: true }, { throwOnError: true })

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
