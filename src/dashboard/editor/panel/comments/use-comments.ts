/** The comments of a namespace: which keys have some, read once, and the thread of a key that has. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answer } from '../../../api/answer.ts'
import { getCommentCounts, getComments } from '../../../api/late-client.ts'
import type { NamespacedKey } from '../../model/rows.ts'

const countsKey = (slug: string, namespace: string) => ['project', slug, 'comments', namespace] as const

/**
 * See the file. Live events outdate both, but own saves of texts do not.
 * @returns a count that is known before the comments; `refresh` reads them again, after a write
 */
export function useComments(slug: string, { namespace, key }: NamespacedKey) {
  const queries = useQueryClient()
  const counts = useQuery({
    queryKey: countsKey(slug, namespace),
    queryFn: ({ signal }) =>
      answer(getCommentCounts({ slug, $namespace: namespace }, { signal })).then(
        ({ keys }) => new Map(Object.entries(keys)),
      ),
    structuralSharing: false,
  })
  const count = counts.data?.get(key)?.comments ?? 0
  const thread = useQuery({
    queryKey: [...countsKey(slug, namespace), key],
    enabled: count > 0,
    queryFn: ({ signal }) =>
      answer(getComments({ slug, $namespace: namespace, key }, { signal })).then(({ comments }) => comments),
  })
  const read =
    counts.data === undefined ? { ...counts, data: undefined } : count === 0 ? { ...counts, data: [] } : thread
  const refresh = () => queries.invalidateQueries({ queryKey: countsKey(slug, namespace) })
  return { count, read, refresh }
}
