/** The keys with suggestions in each language of the editor. */
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useWasIdle } from './idle.ts'
import { suggestionsKey } from './suggestions-key.ts'

/** Ids of rows, by target. Empty until the browser was idle. */
export function useSuggested(slug: string, targets: readonly string[]): readonly ReadonlySet<string>[] {
  const isIdle = useWasIdle()
  const found = useQueries({
    queries: targets.map(language => ({
      queryKey: suggestionsKey(slug, language),
      enabled: isIdle,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { suggestedKeys } = await import('./panel/suggestions/suggested-keys.ts')
        return suggestedKeys(slug, language, signal)
      },
    })),
  })
  const ids = JSON.stringify(found.map(({ data = [] }) => data))
  return useMemo(() => (JSON.parse(ids) as string[][]).map(list => new Set(list)), [ids])
}
