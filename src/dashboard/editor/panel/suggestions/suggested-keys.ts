/** The keys of a language that have suggestions. */
import { ApiProblem, answer } from '../../../api/answer.ts'
import { getStatusKeys } from '../../../api/client.ts'
import { idOf } from '../../model/rows.ts'

/** Most keys that a page of the API's list has. */
const PAGE = 1000

/** @returns ids of rows, sorted */
export async function suggestedKeys(slug: string, language: string, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(slug, language, cursor, signal)
    ids.push(...page.keys.map(({ namespace, key }) => idOf(namespace, key)))
    cursor = page.next
  }
  return ids.sort()
}

const readPage = (slug: string, language: string, cursor: string, signal: AbortSignal) =>
  answer(getStatusKeys({ slug, language, $is: 'suggested', limit: PAGE, ...(cursor && { cursor }) }, { signal })).catch(
    noneYet,
  )

/** A language exists from its first text on. */
function noneYet(error: unknown): { keys: []; next: null } {
  if (error instanceof ApiProblem && error.status === 404) return { keys: [], next: null }
  throw error
}
