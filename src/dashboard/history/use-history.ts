/** Reads of history. */
import { type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { getHistory, type Revision } from '../api/client.ts'
import { listReleases } from '../api/late-client.ts'

/** Which part of a project's history; the names are those of the address' query. */
export interface HistoryFilter {
  language?: string
  namespace?: string
  key?: string
  /** An e-mail address, as in the commits. */
  author?: string
}

/** Reads one page. */
const readPage = (
  slug: string,
  { language, namespace, key, author }: HistoryFilter,
  { cursor, limit, signal }: { cursor: string | null; limit: number; signal?: AbortSignal },
) =>
  answer(
    getHistory(
      {
        slug,
        ...(language !== undefined && { language }),
        ...(namespace !== undefined && { $namespace: namespace }),
        ...(key !== undefined && { key }),
        ...(author !== undefined && { author }),
        ...(cursor !== null && { cursor }),
        limit,
      },
      signal && { signal },
    ),
  )

/**
 * Commits, newest first, a page at a time. Live events do not invalidate its query key: the list would move under the
 * reader.
 */
export const useHistory = (slug: string, wanted: HistoryFilter, limit = 50) =>
  useInfiniteQuery({
    queryKey: ['history', slug, wanted.language, wanted.namespace, wanted.key, wanted.author, limit],
    queryFn: ({ pageParam, signal }) => readPage(slug, wanted, { cursor: pageParam, limit, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  })

/** Key of the query of a project's releases. */
export const releasesKey = (slug: string) => ['project', slug, 'releases'] as const

/** A project's releases. */
export const useReleases = (slug: string) =>
  useQuery({
    queryKey: releasesKey(slug),
    queryFn: ({ signal }) => answer(listReleases({ slug }, { signal })).then(({ releases }) => releases),
  })

/** After an own change: everything cached of the project is outdated. */
export async function readAgain(client: QueryClient, slug: string): Promise<void> {
  await Promise.all(
    [['project', slug], ['projects'], ['history', slug]].map(queryKey => client.invalidateQueries({ queryKey })),
  )
}

/** Commits that the API undoes together at most. */
export const MOST_TOGETHER = 100

/** All commits since a time, at most {@link MOST_TOGETHER}, the newest first. @param since milliseconds since 1970 */
export async function commitsSince(slug: string, wanted: HistoryFilter, since: number): Promise<Revision[]> {
  const found = new Map<string, Revision>()
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(slug, wanted, { cursor, limit: MOST_TOGETHER })
    for (const commit of page.revisions) {
      if (Date.parse(commit.date) < since || found.size === MOST_TOGETHER) return [...found.values()]
      found.set(commit.revision, commit)
    }
    cursor = page.next
  } while (cursor !== null)
  return [...found.values()]
}
