/** What the editor reads: whole languages, and what of them is stale. */
import { useQueries } from '@tanstack/react-query'
import { useRef } from 'react'
import { answer } from '../api/answer.ts'
import { getLanguage, getStatusKeys, type Key, type KeyStatus } from '../api/client.ts'
import { type Columns, type KeyRow, type Read, type Row, rowsOf } from './model/rows.ts'

/** The key of the query of a language's texts. */
export const languageQuery = (slug: string, language: string) => ['project', slug, 'bundle', language] as const

/** The key of the query of a language's stale texts. */
export const staleQuery = (slug: string, language: string) => ['project', slug, 'status', 'stale', language] as const

/** Most keys that a page of the API's list has. */
const PAGE = 1000

/** @param signal ends the reading */
export async function readStale(slug: string, language: string, signal?: AbortSignal): Promise<KeyStatus[]> {
  const all: KeyStatus[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await answer(
      getStatusKeys({ slug, language, $is: 'stale', limit: PAGE, ...(cursor && { cursor }) }, signal && { signal }),
    )
    all.push(...page.keys)
    if (page.next === null) return all
    cursor = page.next
  }
}

interface Reading {
  data: Row[] | undefined
  error: unknown
  refetch: () => unknown
}

/** The rows of these columns, of all namespaces or one. */
export function useRows(slug: string, columns: Columns, namespace: string | undefined): Reading {
  const languages = [...new Set([columns.source, ...columns.targets])]
  const stales = columns.targets.filter(language => language !== columns.source)
  const texts = useQueries({
    queries: languages.map(language => ({
      queryKey: languageQuery(slug, language),
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<Key[]> =>
        answer(getLanguage({ slug, language }, { signal })).then(({ keys }) => keys),
      // Comparing 10,000 rows takes longer than drawing those that are seen.
      structuralSharing: false as const,
    })),
  })
  const stale = useQueries({
    queries: stales.map(language => ({
      queryKey: staleQuery(slug, language),
      queryFn: ({ signal }: { signal: AbortSignal }) => readStale(slug, language, signal),
      structuralSharing: false as const,
    })),
  })
  const all = [...texts, ...stale]
  const made = useMade()
  const refetch = () => Promise.all(all.filter(({ error }) => error).map(one => one.refetch()))
  const error = all.find(({ data, error }) => data === undefined && error)?.error
  if (all.some(({ data }) => data === undefined)) return { data: undefined, error, refetch }
  const textsIn = (language: string): readonly KeyRow[] => texts[languages.indexOf(language)]!.data!
  return {
    data: made({
      source: textsIn(columns.source),
      targets: columns.targets.map(textsIn),
      stale: columns.targets.map(language => (stales.includes(language) ? stale[stales.indexOf(language)]!.data! : [])),
      columns,
      namespace,
    }),
    error: undefined,
    refetch,
  }
}

/** {@link rowsOf} of what was read, once for the same. */
function useMade(): (read: Read) => Row[] {
  const last = useRef<{ parts: readonly unknown[]; rows: Row[]; byId: Map<string, Row>; columns: string }>(undefined)
  return read => {
    const columns = `${read.columns.source} ${read.columns.targets}`
    const parts = [
      read.source,
      ...read.targets,
      ...read.stale.map(list => (list.length === 0 ? 0 : list)),
      read.namespace,
      columns,
    ]
    const known = last.current
    if (known && known.parts.length === parts.length && known.parts.every((part, at) => part === parts[at])) {
      return known.rows
    }
    const rows = rowsOf(read, known?.columns === columns ? known.byId : new Map())
    last.current = { parts, rows, byId: new Map(rows.map(row => [row.id, row])), columns }
    return rows
  }
}
