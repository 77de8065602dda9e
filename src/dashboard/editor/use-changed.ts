/** Which keys somebody changed, or that changed since a moment: for the filter. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { answer } from '../api/answer.ts'
import { getDiff, getHistory } from '../api/client.ts'
import { idOf } from './model/rows.ts'

/** So many of somebody's last commits are looked at. */
const MOST_COMMITS = 50
const PAGE = 10_000

/** What is asked for; '' asks for nothing. */
export interface Asked {
  /** An e-mail address. */
  by: string
  /** A revision, release, tag or time. */
  since: string
}

/** Ids of rows; undefined while they are not known, or nothing is asked for. */
export function useChanged(slug: string, language: string, { by, since }: Asked) {
  const read = useQuery({
    queryKey: ['project', slug, 'history', 'changed', language, by, since],
    enabled: by !== '' || since !== '',
    queryFn: async ({ signal }) => {
      if (by === '') return [...(await changedBetween(slug, language, since, undefined, signal))]
      const ids = new Set<string>()
      for (const revision of await commitsOf(slug, language, by, since, signal)) {
        for (const id of await changedBetween(slug, language, `${revision}^`, revision, signal)) ids.add(id)
      }
      return [...ids]
    },
  })
  const ids = useMemo(() => (read.data ? new Set(read.data) : undefined), [read.data])
  return { ids: by === '' && since === '' ? undefined : ids, error: read.error }
}

/** Whose commits there are of late, by address. */
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
  const { revisions } = await answer(getHistory({ slug, language, author, limit: MOST_COMMITS }, { signal }))
  const after = await momentOf(slug, since, signal)
  return revisions.filter(({ date }) => Number.isNaN(after) || Date.parse(date) > after).map(one => one.revision)
}

/** When a state was, in ms; NaN of what is none. */
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
