/** Reads of the review queue: the suggestions of a language. */
import { useQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { listSuggestions, type SuggestionRow } from '../api/late-client.ts'

/** Suggestions that one answer has. */
const PAGE = 100
/** Suggestions that the queue reads. More come when these are decided. */
const MOST = 1000

/** The suggestions read, and whether there are more. */
export interface SuggestionsRead {
  rows: SuggestionRow[]
  isCut: boolean
}

/** The query of {@link useSuggestions}. Live events outdate it. */
export const suggestionsKey = (slug: string, language: string) => ['project', slug, 'suggestions', language] as const

/** All suggestions that wait in a language, up to a limit. */
export const useSuggestions = (slug: string, language: string) =>
  useQuery({
    queryKey: suggestionsKey(slug, language),
    queryFn: async ({ signal }): Promise<SuggestionsRead> => {
      const rows: SuggestionRow[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof readPage>> = await readPage(slug, language, cursor, signal)
        rows.push(...page.suggestions)
        cursor = page.next
      } while (cursor !== null && rows.length < MOST)
      return { rows, isCut: cursor !== null }
    },
  })

const readPage = (slug: string, language: string, cursor: string | null, signal: AbortSignal) =>
  answer(listSuggestions({ slug, language, limit: PAGE, ...(cursor !== null && { cursor }) }, { signal }))

/** Names an author in requests: the id of a user or token, or the name of a machine. */
export const authorId = ({ by }: SuggestionRow): string => (typeof by === 'string' ? by : by.id)

/** The author in words. */
export const authorName = ({ by }: SuggestionRow): string => (typeof by === 'string' ? by : by.name)
