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

/** @param entries of a file of marks */
export function markedTextsIn(entries: KeyEntries): MarkedTexts {
  if (entries.size === 0) return NO_MARKED
  const found = new Map<string, MarkedText>()
  for (const [key, marks] of entries) {
    if (!isObject(marks)) continue
    const own = marksWith(marks as MarkedText, of => typeof of === 'string')
    if (own !== NONE) found.set(key, own)
  }
  return found
}

/** The marks of a key that hold for its texts. @param source undefined where it lacks the key */
export function heldMarks(marks: MarkedText | undefined, source: Facts | undefined, target: Facts): MarkedText {
  if (marks === undefined) return NONE
  const digest = textDigest(source ? messageOf(source.parts) : null, messageOf(target.parts))
  return marksWith(marks, of => of === digest)
}

const NONE: MarkedText = Object.freeze({})

/** Written out: a status may have a hundred thousand marks. */
function marksWith(marks: MarkedText, fits: (of: unknown) => boolean): MarkedText {
  const { approved, machine } = marks
  const isApproved = isObject(approved) && fits(approved.of)
  const isMachine = isObject(machine) && fits(machine.of)
  if (isApproved) return isMachine ? { approved, machine } : { approved }
  return isMachine ? { machine } : NONE
}
