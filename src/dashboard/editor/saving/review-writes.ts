/** Writes of languages with a review: suggestions and approvals. The editor loads them late. */
import type { Message } from '../../../bundle/message.ts'
import { answer } from '../../api/answer.ts'
import {
  approveTexts,
  suggestText as postSuggestion,
  type SuggestedValue,
  unapproveTexts,
} from '../../api/late-client.ts'
import { writesFor } from '../model/leaves.ts'
import type { KeyAddress } from '../model/rows.ts'

/**
 * Sends a typed text as a suggestion. The text itself stays as it is. A text with a plural is suggested as a whole: a
 * user has one suggestion for a key.
 * @param before the text now @param after the suggested one
 * @throws ApiProblem what the server refuses
 */
export async function suggestText(
  { slug, language, namespace, key }: KeyAddress,
  before: Message | undefined,
  after: Message | undefined,
): Promise<void> {
  const [write = { name: key, value: '' }, ...others] = writesFor(key, before, after)
  const { name, value } = others.length === 0 ? write : { name: key, value: after! }
  const suggestedValue = { value } as SuggestedValue
  await answer(postSuggestion({ slug, language, $namespace: namespace, key: name, suggestedValue }))
}

/**
 * Approves a text.
 * @param approves false withdraws the approval
 * @param expected the entity tags of the bundles that were seen
 * @returns the number of changed approvals
 */
export async function approveText(
  { slug, language, namespace, key }: KeyAddress,
  approves: boolean,
  expected: Record<string, string>,
): Promise<number> {
  const body = { language, namespace, keys: [key], expected }
  if (approves) return (await answer(approveTexts({ slug, body }))).approved
  return (await answer(unapproveTexts({ slug, body }))).unapproved
}
