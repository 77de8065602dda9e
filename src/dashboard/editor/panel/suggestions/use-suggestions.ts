/** The suggestions for a key in a language. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answer } from '../../../api/answer.ts'
import { listSuggestions } from '../../../api/late-client.ts'
import type { KeyAddress } from '../../saving/write-key.ts'
import { suggestionsKey } from '../../suggestions-key.ts'

/** Maximum of suggestions for a key on the server is below it. */
const LIMIT = 100

/** Live events outdate them. @param has whether the key has some: otherwise nothing is requested */
export function useSuggestions({ slug, language, namespace, key }: KeyAddress, has: boolean) {
  const queries = useQueryClient()
  const start = suggestionsKey(slug, language)
  const read = useQuery({
    queryKey: [...start, namespace, key],
    enabled: has,
    queryFn: ({ signal }) =>
      answer(listSuggestions({ slug, language, $namespace: namespace, key, limit: LIMIT }, { signal })).then(
        ({ suggestions }) => suggestions,
      ),
  })
  return { read, refresh: () => queries.invalidateQueries({ queryKey: ['project', slug] }) }
}
