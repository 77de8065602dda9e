/** The keys of a language that have suggestions. */
import { ApiProblem, answer } from '../../../api/answer.ts'
import { listSuggestions } from '../../../api/late-client.ts'
import { idOf } from '../../model/rows.ts'

/** Suggestions of a page, and the maximum number of pages. Keys of further suggestions have no badge. */
const PAGE = 100
const MOST_PAGES = 20

/** @returns ids of rows, sorted */
export async function suggestedKeys(slug: string, language: string, signal: AbortSignal): Promise<string[]> {
  const ids = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const asked = { slug, language, limit: PAGE, ...(cursor && { cursor }) }
    const { suggestions, next } = await answer(listSuggestions(asked, { signal })).catch(noneYet)
    for (const { namespace, key } of suggestions) ids.add(idOf(namespace, key))
    if (next === null) break
    cursor = next
  }
  return [...ids].sort()
}

/** A language exists from its first text on. */
function noneYet(error: unknown): { suggestions: []; next: null } {
  if (error instanceof ApiProblem && error.status === 404) return { suggestions: [], next: null }
  throw error
}
