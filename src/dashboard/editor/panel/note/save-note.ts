/** Writes a note without overwriting the change of another user. */
import type { Note } from '../../../../bundle/note.ts'
import { ApiProblem, response } from '../../../api/answer.ts'
import { deleteNote, putNote } from '../../../api/late-client.ts'
import type { KeyAddress } from '../../model/rows.ts'
import type { EditedNote } from './note-drafts.ts'
import type { NamespaceNotes } from './use-notes.ts'

/** Maximum attempts while other notes of the namespace change. */
const ATTEMPTS = 5

/** The edited parts of a stored note. */
export const editedOf = (note: Note | undefined): EditedNote => ({
  note: note?.note ?? '',
  max: note?.max === undefined ? '' : String(note.max),
})

/** Whether two notes say the same. */
export const isSameNote = (one: EditedNote, other: EditedNote): boolean =>
  one.note === other.note && one.max === other.max

/**
 * Sets a note if it still is as it was before the typing. Tags and references stay; a note without anything is removed.
 * @param known the notes as they were read last @param read reads them again
 * @returns false where another user changed this note meanwhile
 * @throws ApiProblem what the server refuses
 */
export async function saveNote(
  { slug, namespace, key }: Omit<KeyAddress, 'language'>,
  { before, ...after }: EditedNote & { before: EditedNote },
  known: NamespaceNotes,
  read: () => Promise<NamespaceNotes>,
): Promise<boolean> {
  let notes = known
  for (let attempt = 1; ; attempt++) {
    const stored = notes.byKey.get(key)
    if (isSameNote(editedOf(stored), after)) return true
    if (!isSameNote(editedOf(stored), before)) return false
    const { tags, refs } = stored ?? {}
    const newNote = {
      ...(after.note !== '' && { note: after.note }),
      ...(after.max !== '' && { max: Number(after.max) }),
      ...(tags && { tags: [...tags] }),
    }
    const at = { slug, $namespace: namespace, key, ...(notes.etag && { ifMatch: notes.etag }) }
    try {
      if (Object.keys(newNote).length === 0 && !refs) await response(deleteNote(at))
      else await response(putNote({ ...at, newNote }))
      return true
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 412 || attempt === ATTEMPTS) throw error
      notes = await read()
    }
  }
}
