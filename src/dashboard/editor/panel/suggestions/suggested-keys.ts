/** The keys of a language that have suggestions. */
import { noneYet } from '../../../api/none-yet.ts'
import { statusKeys } from '../../../api/status-keys.ts'
import { idOf } from '../../model/rows.ts'

/** @returns ids of rows, sorted */
export async function suggestedKeys(slug: string, language: string, signal: AbortSignal): Promise<string[]> {
  const keys = await statusKeys(slug, language, 'suggested', signal).catch(noneYet)
  return keys.map(({ namespace, key }) => idOf(namespace, key)).sort()
}
