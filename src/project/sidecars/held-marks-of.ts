/** Says which marks hold for one text, by bytes alone, for the worker. */
import { checkMarks, fittingMarks } from '../../bundle/mark.ts'
import type { Message } from '../../bundle/message.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { messageIn } from '../versions.ts'
import { entryOf } from './key-file.ts'

/** A translation with the file of its marks. */
export interface HeldMarksTask {
  marks: Uint8Array
  key: string
  message: Message
  /** The source message, or the bundle that has it; null without one. */
  source: Message | Uint8Array | null
}

/** Whether an approval holds, and the mark of a machine. */
export interface HeldMarks {
  approved: boolean
  machine: boolean
}

export function heldMarksOf({ marks: file, key, message, source }: HeldMarksTask): HeldMarks {
  const marks = entryOf(file, key, checkMarks)
  if (marks === undefined) return { approved: false, machine: false }
  const original = source instanceof Uint8Array ? messageIn({ bytes: source, key }) : source
  const held = fittingMarks(marks, textDigest(original, message))
  return { approved: held.approved !== undefined, machine: held.machine !== undefined }
}
