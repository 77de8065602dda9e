/** Typed and unsaved notes. */
import { draftStorage } from '../../../drafts/draft-storage.ts'

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
