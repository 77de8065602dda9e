/** Keys that a user changed, or that changed since a moment, for the filter. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { answer } from '../api/answer.ts'
import { getDiff, getHistory } from '../api/client.ts'
import type { RowFilter } from './model/filter.ts'
import { idOf } from './model/rows.ts'

/** Maximum number of a user's commits to read, and to read at the same time. */
export const MOST_COMMITS = 100
const AT_ONCE = 5
const PAGE = 10_000

/**
 * The keys of a language that were changed as is asked.
 * @returns ids of rows, undefined while unknown or for an empty query; `isCut` where the user has more than
 * {@link MOST_COMMITS} commits
 */
export function useChanged(slug: string, language: string, { by, since }: Pick<RowFilter, 'by' | 'since'>) {
  const asks = by !== '' || since !== ''
  const read = useQuery({
    queryKey: ['project', slug, 'history', 'changed', language, by, since],
    enabled: asks,
    queryFn: async ({ signal }) => {
      if (by === '') return { ids: await changedBetween(slug, language, since, undefined, signal), isCut: false }
      const { commits, isCut } = await commitsOf(slug, language, by, since, signal)
      const ids = new Set<string>()
      for (let at = 0; at < commits.length; at += AT_ONCE) {
        const some = commits.slice(at, at + AT_ONCE)
        const found = await Promise.all(some.map(one => changedBetween(slug, language, `${one}^`, one, signal)))
        for (const id of found.flatMap(ids => [...ids])) ids.add(id)
      }
      return { ids, isCut }
    },
  })
  const { data, error } = read
  return useMemo(
    () => ({ ids: asks ? data?.ids : undefined, isCut: asks && data?.isCut === true, error }),
    [asks, data, error],
  )
}

/** The recent authors, by address. */
export function useAuthors(slug: string, language: string) {
  return useQuery({
    queryKey: ['project', slug, 'history', 'authors', language],
    queryFn: async ({ signal }) => {
      const { revisions } = await answer(getHistory({ slug, language, limit: 100 }, { signal }))
      return [...new Map(revisions.map(({ author }) => [author.email, author.name]))]
    },
  })
}

async function commitsOf(slug: string, language: string, author: string, since: string, signal: AbortSignal) {
  const after = await momentOf(slug, since, signal)
  const commits: string[] = []
  // A page may have fewer entries than its limit, or none, without being the last.
  for (let cursor: string | undefined; ; ) {
    const limit = MOST_COMMITS - commits.length
    const asked = { slug, language, author, limit, ...(cursor && { cursor }) }
    const { revisions, next } = await answer(getHistory(asked, { signal }))
    const wanted = revisions.filter(({ date }) => Number.isNaN(after) || Date.parse(date) > after)
    commits.push(...wanted.map(({ revision }) => revision))
    const isAll = next === null || wanted.length < revisions.length
    if (isAll || commits.length === MOST_COMMITS) return { commits, isCut: !isAll }
    cursor = next
  }
}

/** The time of a state in ms; NaN for an invalid one. */
async function momentOf(slug: string, state: string, signal: AbortSignal): Promise<number> {
  const moment = Date.parse(state)
  if (state === '' || !Number.isNaN(moment)) return moment
  const { revisions } = await answer(getHistory({ slug, at: state, limit: 1 }, { signal }))
  return Date.parse(revisions[0]?.date ?? '')
}

async function changedBetween(
  slug: string,
  language: string,
  $from: string,
  to: string | undefined,
  signal: AbortSignal,
) {
  const ids = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const range = { slug, $from, language, limit: PAGE, ...(to && { to }), ...(cursor && { cursor }) }
    const page = await answer(getDiff(range, { signal }))
    for (const { namespace, key } of page.changes) ids.add(idOf(namespace, key))
    if (page.next === null) return ids
    cursor = page.next
  }
}
