/** The editor's reads: whole languages, and what the server alone knows of their keys. */
import { useQueries } from '@tanstack/react-query'
import { useRef } from 'react'
import { answer } from '../api/answer.ts'
import { getLanguage, type Key, type KeyStatus } from '../api/client.ts'
import { noneYet } from '../api/none-yet.ts'
import { statusKeys } from '../api/status-keys.ts'
import { same } from './model/leaves.ts'
import {
  type Columns,
  type EditorRow,
  type KeyRow,
  patchedRows,
  type RowSources,
  reportedAlone,
  rowsOf,
  type StaleKey,
} from './model/rows.ts'

/** The key of the query of a language's texts. */
export const languageQuery = (slug: string, language: string) => ['project', slug, 'bundle', language] as const

/** The key of the query of a language's stale texts. */
export const staleQuery = (slug: string, language: string) => ['project', slug, 'status', 'stale', language] as const

/**
 * The stale keys, and those with a problem that is dismissed or that the server alone finds.
 * @param signal ends the reading
 */
async function readStale(slug: string, language: string, signal?: AbortSignal): Promise<KeyStatus[]> {
  const all = await statusKeys(slug, language, 'stale,problems,dismissed', signal)
  return all.filter(
    ({ is, problems, dismissed }) =>
      is.includes('stale') || dismissed !== undefined || reportedAlone(problems).length > 0,
  )
}

const NONE: readonly StaleKey[] = []

/**
 * The rows of these columns, of all namespaces or one.
 * @returns with `source`, the keys of the source language as they were read
 */
export function useRows(slug: string, columns: Columns, namespace: string | undefined) {
  const languages = [...new Set([columns.source, ...columns.targets])]
  const stales = columns.targets.filter(language => language !== columns.source)
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
    queries: stales.map(language => ({
      queryKey: staleQuery(slug, language),
      queryFn: ({ signal }: { signal: AbortSignal }) => readStale(slug, language, signal).catch(noneYet),
      structuralSharing: false as const,
    })),
  })
  const all = [...texts, ...stale]
  const made = useMade()
  const refetch = () => Promise.all(all.filter(({ error }) => error).map(one => one.refetch()))
  const error = all.find(({ data, error }) => data === undefined && error)?.error
  if (all.some(({ data }) => data === undefined)) return { data: undefined, error, refetch, source: [] }
  const textsIn = (language: string): readonly KeyRow[] => texts[languages.indexOf(language)]!.data!
  return {
    data: made({
      source: textsIn(columns.source),
      targets: columns.targets.map(textsIn),
      stale: columns.targets.map(language =>
        stales.includes(language) ? stale[stales.indexOf(language)]!.data! : NONE,
      ),
      columns,
      namespace,
    }),
    error: undefined,
    refetch,
    source: textsIn(columns.source),
  }
}

/** {@link rowsOf} the read data, memoized. */
function useMade(): (read: RowSources) => EditorRow[] {
  const last = useRef<{ read: RowSources; rows: EditorRow[] }>(undefined)
  return read => {
    const was = last.current
    if (was && isSame(was.read, read)) return was.rows
    const rows =
      (was && patchedRows(was.rows, was.read, read)) ??
      rowsOf(read, new Map(was && same(was.read.columns, read.columns) ? was.rows.map(row => [row.id, row]) : []))
    last.current = { read, rows }
    return rows
  }
}

const isSame = (one: RowSources, other: RowSources) =>
  one.source === other.source &&
  one.namespace === other.namespace &&
  same(one.columns, other.columns) &&
  one.targets.every((rows, at) => rows === other.targets[at]) &&
  one.stale.every((keys, at) => keys === other.stale[at])
