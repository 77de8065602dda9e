/** Reads of history. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { listReleases } from '../api/late-client.ts'

/** Which part of a project's history; the names are those of the address' query. */
export interface HistoryFilter {
  language?: string
  namespace?: string
  key?: string
  /** An e-mail address, as in the commits. */
  author?: string
}

const readPage = (
  slug: string,
  { language, namespace, key, author }: HistoryFilter,
  page: { cursor: string | undefined; limit: number },
  signal?: AbortSignal,
) => answer(getHistory({ slug, language, $namespace: namespace, key, author, ...page }, { signal }))

/**
 * Commits, newest first, a page at a time. Live events do not invalidate its query key: the list would move under the
 * reader.
 */
export const useHistory = (slug: string, wanted: HistoryFilter, limit = 50) =>
  useInfiniteQuery({
    queryKey: ['history', slug, wanted.language, wanted.namespace, wanted.key, wanted.author, limit],
    queryFn: ({ pageParam: cursor, signal }) => readPage(slug, wanted, { cursor, limit }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  })

/** Commits that the API undoes together at most. */
export const MOST_TOGETHER = 100

/**
 * The revisions of all commits since a time, at most {@link MOST_TOGETHER}, the newest first.
 * @param since milliseconds since 1970
 */
export async function revisionsSince(slug: string, wanted: HistoryFilter, since: number): Promise<Set<string>> {
  const found = new Set<string>()
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(slug, wanted, { cursor, limit: MOST_TOGETHER })
    for (const { revision, date } of page.revisions) {
      if (Date.parse(date) < since || found.size === MOST_TOGETHER) return found
      found.add(revision)
    }
    cursor = page.next
  }
  return found
}

/** Key of the query of a project's releases. */
export const releasesKey = (slug: string) => ['project', slug, 'releases'] as const

/** A project's releases. */
export const useReleases = (slug: string) =>
  useQuery({
    queryKey: releasesKey(slug),
    queryFn: ({ signal }) => answer(listReleases({ slug }, { signal })).then(({ releases }) => releases),
  })
