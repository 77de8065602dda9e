/** Finds the approvals of texts and the marks of machines that hold for the present texts. */
import { isObject } from '../body.ts'
import type { KeyEntries } from '../key-entries.ts'
import type { KeyMarks } from '../mark.ts'
import { messageOf } from '../message.ts'
import type { Facts } from '../status.ts'
import { textDigest } from '../text-digest.ts'

/** Approvals and marks of machines. */
export type MarkedText = Pick<KeyMarks, 'approved' | 'machine'>

/** By key, whether they hold or not. */
export type MarkedTexts = ReadonlyMap<string, MarkedText>

export const NO_MARKED: MarkedTexts = new Map()

const NAMES = ['approved', 'machine'] as const

/** @param entries of a file of marks */
export function markedTextsIn(entries: KeyEntries): MarkedTexts {
  if (entries.size === 0) return NO_MARKED
  const found = new Map<string, MarkedText>()
  for (const [key, marks] of entries) {
    if (!isObject(marks)) continue
    const own = NAMES.flatMap(name => {
      const mark = marks[name]
      return isObject(mark) && typeof mark.of === 'string' ? [[name, mark] as const] : []
    })
    if (own.length > 0) found.set(key, Object.fromEntries(own) as MarkedText)
  }
  return found
}

/** The marks of a key that hold for its texts. @param source undefined where it lacks the key */
export function heldMarks(marks: MarkedText | undefined, source: Facts | undefined, target: Facts): MarkedText {
  if (marks === undefined) return {}
  const of = textDigest(source ? messageOf(source.parts) : null, messageOf(target.parts))
  return Object.fromEntries(NAMES.flatMap(name => (marks[name]?.of === of ? [[name, marks[name]]] : [])))
}
