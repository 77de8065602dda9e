/** Typed and unsaved notes and comments, and why the server would refuse a note. */
import { MAX_MAX, MAX_NOTE } from '../../../bundle/note.ts'
import { draftStorage } from '../../drafts/draft-storage.ts'

/** By user, organization, project, namespace and key; of a comment that one changes, by its id, too. */
export const commentDrafts = draftStorage<{ text: string }>('parlance comment ', value => {
  const { text } = value as { text: unknown }
  return typeof text === 'string' && text !== '' ? { text } : undefined
})

/** The parts of a note that the panel edits, as its fields have them. */
export interface EditedNote {
  note: string
  /** Digits, or nothing. */
  max: string
}

/** A typed note and the one that it began with. */
export interface NoteDraft extends EditedNote {
  before: EditedNote
  /** Of the editor where it was typed: the header leads there. */
  language: string
}

/** By user, organization, project, namespace and key. */
export const noteDrafts = draftStorage<NoteDraft>('parlance note ', value => {
  // An older version stored no language.
  const { note, max, before, language = '' } = value as NoteDraft
  const all = [note, max, before?.note, before?.max, language]
  return all.every(one => typeof one === 'string') ? { note, max, before, language } : undefined
})

/** The faults of a typed note by field; an absent one is right. */
export function noteFaults({ note, max }: EditedNote): { note?: 'noteTooLong'; max?: 'maxWrong' } {
  const isLong = new TextEncoder().encode(note).length > MAX_NOTE
  const isNumber = max === '' || (/^[1-9]\d{0,5}$/.test(max) && Number(max) <= MAX_MAX)
  return { ...(isLong && { note: 'noteTooLong' as const }), ...(!isNumber && { max: 'maxWrong' as const }) }
}
