/** The texts of a suggestion that a reviewer can edit, by the ending of their form. */
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import type { SuggestionRow } from '../api/late-client.ts'

/** Undefined for a message of several kinds: the API has no value for it. */
export function editableTexts({ message }: SuggestionRow): Record<string, string> | undefined {
  const parts = partsOf(message as Message)
  const kinds = [parts.text, parts.cardinal, parts.ordinal].filter(part => part !== undefined)
  return kinds.length === 1 && parts.ordinal === undefined ? Object.fromEntries(linesOf(parts)) : undefined
}

/** The value of the API: a text, or the forms by category. */
export function sentValue(texts: Record<string, string>): string | Record<string, string> {
  const text = texts['']
  if (text !== undefined) return text
  return Object.fromEntries(Object.entries(texts).map(([ending, text]) => [ending.slice(1), text]))
}
