/** The editor's reads: whole languages, what the server alone knows of their keys, and changed keys for the filter. */
import { type QueryFunctionContext, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { answer } from '../api/answer.ts'
import { getDiff, getHistory, getLanguage, type Key, type KeyStatus } from '../api/client.ts'
import type { LanguagePermit } from '../api/rights.ts'
import { noneYet, statusKeys } from '../api/status-keys.ts'
import { onChange } from '../live/live.ts'
import { useWasIdle } from './browser-state.ts'
import type { RowFilter, RowMarks } from './model/filter.ts'
import { same } from './model/leaves.ts'
import { type Columns, idOf, type KeyRow, patchedRows, type RowSources, reportedAlone, rowsOf } from './model/rows.ts'
import { type ListedMarks, languageQuery, marksQuery, staleQuery, suggestionsKey } from './saving/cached.ts'

/** The stale keys, and those with a problem that is dismissed or that the server alone finds. */
async function readStale(slug: string, language: string, signal: AbortSignal): Promise<KeyStatus[]> {
  const all = await statusKeys(slug, language, 'stale,problems,dismissed', signal)
  return all.filter(
    ({ is, problems, dismissed }) =>
      is.includes('stale') || dismissed !== undefined || reportedAlone(problems).length > 0,
  )
}

/**
 * The rows of these columns, of all namespaces or one.
 * @returns with `source`, the keys of the source language as they were read
 */
export function useRows(slug: string, columns: Columns, namespace: string | undefined) {
  const languages = [...new Set([columns.source, ...columns.targets])]
  const texts = useQueries({
    queries: languages.map(language => ({
      queryKey: languageQuery(slug, language),
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<Key[]> =>
        answer(getLanguage({ slug, language }, { signal })).then(({ keys }) => keys, noneYet),
      // Comparing 10,000 rows is slower than rendering the visible ones.
      structuralSharing: false as const,
    })),
  })
  const stale = useQueries({
    queries: languages.slice(1).map(language => ({
      queryKey: staleQuery(slug, language),
      queryFn: ({ signal }: { signal: AbortSignal }) => readStale(slug, language, signal).catch(noneYet),
      structuralSharing: false as const,
    })),
  })
  const last = useRef<{ read: RowSources; rows: ReturnType<typeof rowsOf> }>(undefined)
  const all = [...texts, ...stale]
  const refetch = () => Promise.all(all.filter(({ error }) => error).map(one => one.refetch()))
  if (all.some(({ data }) => data === undefined)) {
    const error = all.find(({ data, error }) => data === undefined && error)?.error
    return { data: undefined, error, refetch, source: [] }
  }
  const textsIn = (language: string): readonly KeyRow[] => texts[languages.indexOf(language)]!.data!
  const read: RowSources = {
    source: textsIn(columns.source),
    targets: columns.targets.map(textsIn),
    stale: columns.targets.map(language => stale[languages.indexOf(language) - 1]?.data ?? NONE),
    columns,
    namespace,
  }
  const was = last.current
  if (!was || !isSame(was.read, read)) {
    const known = was && same(was.read.columns, columns) ? was.rows.map(row => [row.id, row] as const) : []
    const rows = (was && patchedRows(was.rows, was.read, read)) ?? rowsOf(read, new Map(known))
    last.current = { read, rows }
  }
  return { data: last.current!.rows, error: undefined, refetch, source: read.source }
}

const NONE: readonly never[] = []

const isSame = (one: RowSources, other: RowSources) =>
  one.source === other.source &&
  one.namespace === other.namespace &&
  same(one.columns, other.columns) &&
  one.targets.every((rows, at) => rows === other.targets[at]) &&
  one.stale.every((keys, at) => keys === other.stale[at])

/** The marks of the rows, by target. Empty until the browser was idle, and of the source. @param permits by target */
export function useRowMarks(
  slug: string,
  { source, targets }: Columns,
  permits: readonly LanguagePermit[],
): readonly RowMarks[] {
  const isIdle = useWasIdle()
  const suggested = useQueries({
    combine: dataOf<string[]>,
    queries: targets.map(language => ({
      queryKey: [...suggestionsKey(slug, language), 'keys'],
      enabled: isIdle,
      queryFn: async ({ signal }: { signal: AbortSignal }) => (await lateReads()).readSuggested(slug, language, signal),
    })),
  })
  const listed = useQueries({
    combine: dataOf<ListedMarks>,
    queries: targets.map((language, at) => {
      const { isReviewed } = permits[at]!
      return {
        queryKey: [...marksQuery(slug, language), isReviewed],
        enabled: isIdle && language !== source,
        queryFn: async (context: QueryFunctionContext) =>
          (await lateReads()).readMarks(slug, language, isReviewed, context),
      }
    }),
  })
  const client = useQueryClient()
  useEffect(
    () =>
      onChange(heard => {
        if (heard.event !== 'job' || heard.job.project !== slug || heard.job.refused === 0) return
        void client.invalidateQueries({ queryKey: marksQuery(slug) })
      }),
    [slug, client],
  )
  return useMemo(
    () =>
      targets.map((_, at) => {
        const { machine, refused, listed: ids, lists = 'approved' }: Partial<ListedMarks> = listed[at] ?? {}
        return {
          suggested: new Set(suggested[at]),
          machine: new Set(machine),
          refused: new Map(refused?.map(one => [idOf(one.namespace, one.key), one])),
          listed: ids ? new Set(ids) : undefined,
          lists,
          isRead: suggested[at] !== undefined && listed[at] !== undefined,
        }
      }),
    [targets, suggested, listed],
  )
}

/** The reads, with the pictures of the marks. */
const lateReads = () =>
  Promise.all([import('./saving/review.ts'), import('../ui/sign-marks.css')]).then(([reads]) => reads)

/** The same list as long as the data is: TanStack Query shares equal parts. */
const dataOf = <T>(results: readonly { data: T | undefined }[]) => results.map(({ data }) => data)

/** Maximum number of a user's commits to read, and to read at the same time. */
export const MOST_COMMITS = 100
const AT_ONCE = 5
const PAGE = 10_000

/**
 * The keys of a language that a user changed, or that changed since a moment.
 * @returns ids of rows, undefined while unknown or for an empty query; `isCut` where the user has more than
 * {@link MOST_COMMITS} commits
 */
export function useChanged(slug: string, language: string, { by, since }: Pick<RowFilter, 'by' | 'since'>) {
  const asks = by !== '' || since !== ''
  const { data, error } = useQuery({
    queryKey: ['project', slug, 'history', 'changed', language, by, since],
    enabled: asks,
    queryFn: async ({ signal }) => {
      const changed = (range: { $from: string; to?: string }) => changedIn({ slug, language, ...range }, signal)
      if (by === '') return { ids: new Set(await changed({ $from: since })), isCut: false }
      const { commits, isCut } = await commitsOf({ slug, language, author: by }, since, signal)
      const ids = new Set<string>()
      for (let at = 0; at < commits.length; at += AT_ONCE) {
        const some = commits.slice(at, at + AT_ONCE)
        const found = await Promise.all(some.map(one => changed({ $from: `${one}^`, to: one })))
        for (const id of found.flat()) ids.add(id)
      }
      return { ids, isCut }
    },
  })
  return { ids: asks ? data?.ids : undefined, isCut: asks && data?.isCut === true, error }
}

async function commitsOf(of: { slug: string; language: string; author: string }, since: string, signal: AbortSignal) {
  const after = await momentOf(of.slug, since, signal)
  const commits: string[] = []
  // A page may have fewer entries than its limit, or none, without being the last.
  for (let cursor: string | undefined; ; ) {
    const limit = MOST_COMMITS - commits.length
    const { revisions, next } = await answer(getHistory({ ...of, limit, ...(cursor && { cursor }) }, { signal }))
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

async function changedIn(range: { slug: string; language: string; $from: string; to?: string }, signal: AbortSignal) {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await answer(getDiff({ ...range, limit: PAGE, ...(cursor && { cursor }) }, { signal }))
    for (const { namespace, key } of page.changes) ids.push(idOf(namespace, key))
    if (page.next === null) return ids
    cursor = page.next
  }
}
