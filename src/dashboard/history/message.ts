/** Messages as the lines that people read: a text, and each plural form by its name. */
import type { Message } from '../api/client.ts'

/** One text of a message. */
export interface Part {
  /** `few`, `ordinal_few`; undefined for a text. */
  form: string | undefined
  before: string | undefined
  after: string | undefined
}

const partsOf = (message: Message | null | undefined): Map<string | undefined, string> => {
  if (message === null || message === undefined) return new Map()
  if (typeof message === 'string') return new Map([[undefined, message]])
  return new Map([
    ...(message.text === undefined ? [] : [[undefined, message.text] as const]),
    ...Object.entries(message.cardinal ?? {}),
    ...Object.entries(message.ordinal ?? {}).map(([form, text]) => [`ordinal_${form}`, text] as const),
  ])
}

/** What differs between two states of a key, a form at a time. */
export function changedParts(before: Message | null | undefined, after: Message | null | undefined): Part[] {
  const [old, young] = [partsOf(before), partsOf(after)]
  return [...new Set([...old.keys(), ...young.keys()])]
    .map(form => ({ form, before: old.get(form), after: young.get(form) }))
    .filter(part => part.before !== part.after)
}
