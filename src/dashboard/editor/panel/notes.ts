/** The notes of a namespace: read once for all of its keys, written without overwriting the change of another user. */
import { useQuery } from '@tanstack/react-query'
import type { Note } from '../../../bundle/note.ts'
import { response } from '../../api/answer.ts'
import { deleteNote, getNotes, putNote } from '../../api/late-client.ts'
import type { KeyAddress } from '../model/rows.ts'
import { retried } from '../saving/write-key.ts'
import type { EditedNote } from './panel-drafts.ts'

/** `etag` is the entity tag that a write expects. */
export interface NamespaceNotes {
  byKey: ReadonlyMap<string, Note>
  etag: string | null
}

/** The query of a namespace's notes, for reads outside of components too. */
export const notesQuery = (slug: string, namespace: string) => ({
  queryKey: ['project', slug, 'notes', namespace] as const,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<NamespaceNotes> => {
    const { data, headers } = await response(getNotes({ slug, $namespace: namespace }, { signal }))
    return { byKey: new Map(Object.entries(data.notes)), etag: headers.get('etag') }
  },
  structuralSharing: false as const,
})

/** Live events outdate it, but own saves of texts do not. */
export const useNotes = (slug: string, namespace: string) => useQuery(notesQuery(slug, namespace))

/** The edited parts of a stored note. */
export const editedOf = (note: Note | undefined): EditedNote => ({
  note: note?.note ?? '',
  max: note?.max === undefined ? '' : String(note.max),
})

export const isSameNote = (one: EditedNote, other: EditedNote): boolean =>
  one.note === other.note && one.max === other.max

/** Maximum attempts while other notes of the namespace change. */
const ATTEMPTS = 5

/**
 * Sets a note if it still is as it was before the typing. Tags and references stay; a note without anything is removed.
 * @param known the notes as they were read last @param read reads them again
 * @returns false where another user changed this note meanwhile
 * @throws ApiProblem what the server refuses
 */
export function saveNote(
  { slug, namespace, key }: Omit<KeyAddress, 'language'>,
  { before, ...after }: EditedNote & { before: EditedNote },
  known: NamespaceNotes,
  read: () => Promise<NamespaceNotes>,
): Promise<boolean> {
  return retried(ATTEMPTS, async attempt => {
    const { byKey, etag } = attempt === 1 ? known : await read()
    const stored = byKey.get(key)
    if (isSameNote(editedOf(stored), after)) return true
    if (!isSameNote(editedOf(stored), before)) return false
    const { tags, refs } = stored ?? {}
    const newNote = {
      ...(after.note !== '' && { note: after.note }),
      ...(after.max !== '' && { max: Number(after.max) }),
      ...(tags && { tags: [...tags] }),
    }
    const at = { slug, $namespace: namespace, key, ...(etag && { ifMatch: etag }) }
    if (Object.keys(newNote).length === 0 && !refs) await response(deleteNote(at))
    else await response(putNote({ ...at, newNote }))
    return true
  })
}
