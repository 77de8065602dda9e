/** Separates the problems of a text that a user dismissed from the others. */

import { isObject } from '../body.ts'
import type { KeyEntries } from '../key-entries.ts'
import { type Message, messageOf } from '../message.ts'
import type { Facts, TextProblem } from '../status.ts'
import { textDigest } from '../text-digest.ts'

/** The digests that problems of a key are dismissed for, by kind. */
export type DismissedDigests = ReadonlyMap<string, ReadonlyMap<string, string>>

export const NO_DISMISSED: DismissedDigests = new Map()

/** @param entries of a file of marks */
export function dismissedIn(entries: KeyEntries): DismissedDigests {
  if (entries.size === 0) return NO_DISMISSED
  const found = new Map<string, Map<string, string>>()
  for (const [key, marks] of entries) {
    const kinds = isObject(marks) && isObject(marks.dismissed) ? Object.entries(marks.dismissed) : []
    const digests = kinds.flatMap(([kind, mark]): [string, string][] =>
      isObject(mark) && typeof mark.of === 'string' ? [[kind, mark.of]] : [],
    )
    if (digests.length > 0) found.set(key, new Map(digests))
  }
  return found
}

/** @param dismissed of the key; a dismissal counts only while its digest is that of the present texts */
export function splitDismissed(
  problems: TextProblem[],
  dismissed: ReadonlyMap<string, string> | undefined,
  source: Facts,
  target: Facts,
): { open: TextProblem[]; dismissed: TextProblem[] } {
  if (dismissed === undefined || problems.length === 0) return { open: problems, dismissed: [] }
  const digest = textDigest(messageIn(source), messageIn(target))
  const { open = [], dismissed: gone = [] } = Object.groupBy(problems, ({ kind }) =>
    dismissed.get(kind) === digest ? 'dismissed' : 'open',
  )
  return { open, dismissed: gone }
}

const messageIn = ({ parts }: Facts): Message => messageOf(parts)
