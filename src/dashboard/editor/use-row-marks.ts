/** The marks of the rows in each language of the editor. */
import { type QueryFunctionContext, useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { LanguagePermit } from '../api/language-permit.ts'
import { onChange } from '../live/live.ts'
import { useWasIdle } from './idle.ts'
import type { RowMarks } from './model/filter.ts'
import { idOf } from './model/rows.ts'
import { type ListedMarks, marksQuery, suggestionsKey } from './saving/cached.ts'

/** By target. Empty until the browser was idle, and of the source language. @param permits by target */
export function useRowMarks(
  slug: string,
  { source, targets }: { source: string; targets: readonly string[] },
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
