/** Reads of a language, which exists from its first text on. */
import { answer } from './answer.ts'
import { getStatusKeys, type KeyStatus } from './client.ts'
import { isNotFound } from './queries.ts'

/** Most keys that a page of the API's list has. */
const PAGE = 1000

/**
 * @param is states with commas, as the API has them @param signal ends the reading
 * @throws ApiProblem 404 for a language without a text
 */
export async function statusKeys(
  slug: string,
  language: string,
  is: string,
  signal?: AbortSignal,
): Promise<KeyStatus[]> {
  const all: KeyStatus[] = []
  for (let cursor: string | undefined; ; ) {
    const asked = { slug, language, $is: is, limit: PAGE, ...(cursor && { cursor }) }
    const page = await answer(getStatusKeys(asked, signal && { signal }))
    all.push(...page.keys)
    if (page.next === null) return all
    cursor = page.next
  }
}

/** Nothing for a language without a text. @throws any other problem */
export function noneYet(error: unknown): [] {
  if (isNotFound(error)) return []
  throw error
}
