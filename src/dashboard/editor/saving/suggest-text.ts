/** Sends a typed text as a suggestion. The text itself stays as it is. */
import type { Message } from '../../../bundle/message.ts'
import { ApiProblem, answer } from '../../api/answer.ts'
import { suggestText as postSuggestion } from '../../api/late-client.ts'
import { writesFor } from '../model/leaves.ts'
import type { KeyAddress } from './write-key.ts'

/**
 * @param before the text now @param after the suggested one @param oneKind the sentence for more than one write: a
 * user has one suggestion for a key, and the second would replace the first
 * @throws ApiProblem what the server refuses
 */
export async function suggestText(
  { slug, language, namespace, key }: KeyAddress,
  before: Message | undefined,
  after: Message | undefined,
  oneKind: string,
): Promise<void> {
  const [write = { name: key, value: '' }, ...others] = writesFor(key, before, after)
  if (others.length > 0) throw new ApiProblem(422, oneKind)
  const newValue = { value: write.value as string | Record<string, string> }
  await answer(postSuggestion({ slug, language, $namespace: namespace, key: write.name, newValue }))
}
