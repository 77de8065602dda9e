/** Why the server would refuse a typed note. */
import { MAX_MAX, MAX_NOTE } from '../../../../bundle/note.ts'
import type { EditedNote } from './note-drafts.ts'

/** By field; an absent one is right. */
export function noteFaults({ note, max }: EditedNote): { note?: 'noteTooLong'; max?: 'maxWrong' } {
  const isLong = new TextEncoder().encode(note).length > MAX_NOTE
  const isNumber = max === '' || (/^[1-9]\d{0,5}$/.test(max) && Number(max) <= MAX_MAX)
  return { ...(isLong && { note: 'noteTooLong' as const }), ...(!isNumber && { max: 'maxWrong' as const }) }
}
