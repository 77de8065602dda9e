/** Reads of history. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'

/** Which part of a project's history; the names are those of the address' query. */
export interface Wanted {
  language?: string
  namespace?: string
  key?: string
  /** An e-mail address, as in the commits. */
  author?: string
}

/** Commits, the newest first, a page at a time. */
export const useHistory = (slug: string, { language, namespace, key, author }: Wanted) =>
  useInfiniteQuery({
    queryKey: ['project', slug, 'history', 'commits', language, namespace, key, author],
    queryFn: ({ pageParam, signal }) =>
      answer(
        getHistory(
          {
            slug,
            ...(language !== undefined && { language }),
            ...(namespace !== undefined && { $namespace: namespace }),
            ...(key !== undefined && { key }),
            ...(author !== undefined && { author }),
            ...(pageParam !== null && { cursor: pageParam }),
            limit: 50,
          },
          { signal },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
