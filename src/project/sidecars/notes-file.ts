/** The file with the notes of a namespace: `<slug>/notes/<namespace>.json`. */
import type { KeyEntries } from '../../bundle/key-entries.ts'
import { checkNote, isEmptyNote, type Note, noteByCode, noteByPerson } from '../../bundle/note.ts'
import { entryAt, parseEntries, renderEntries, renderWithin, validEntries } from './key-file.ts'

/** Reads a file by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export const parseNotes = (bytes: Uint8Array): KeyEntries<Note> =>
  parseEntries(bytes, 'notes', (key, entry) => {
    const note = checkNote(key, entry)
    return isEmptyNote(note) ? undefined : note
  })

/** The notes at HEAD: those that break the rules are left out. */
export const notesIn = (bytes: Uint8Array | null | undefined): KeyEntries<Note> => validEntries(bytes, checkNote)

/** Changes of a namespace's notes. */
export interface NotesTask {
  path: string
  /** The stored file. */
  file: Uint8Array | null
  /** Pairs of a key and its new note, checked, as JSON; null removes a note. */
  changes: Uint8Array
  from: 'code' | 'person'
}

/** The new file, null for none. */
export interface NotesAnswer {
  file: Uint8Array | null
  /** The number of changed notes. */
  changed: number
  /** The last named key's note after the change, null without one. */
  note: Note | null
}

/** Changes notes. @throws Failure `too-large` naming the file */
export function changeNotes({ path, file, changes, from }: NotesTask): NotesAnswer {
  const notes = notesIn(file)
  let changed = 0
  let last: Note | null = null
  const merge = from === 'code' ? noteByCode : noteByPerson
  const pairs: [string, Note | null][] = JSON.parse(Buffer.from(changes).toString('utf8'))
  for (const [key, asked] of pairs) {
    const old = notes.get(key)
    const note = asked === null ? {} : merge(old, asked)
    last = isEmptyNote(note) ? null : note
    if (isSame(note, old ?? {})) continue
    if (last === null) notes.delete(key)
    else notes.set(key, last)
    changed++
  }
  return { file: renderWithin(path, notes, [file]), changed, note: last }
}

const isSame = (a: Note, b: Note): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * The stored note of a key which a person's note would leave as it is, by a look at its entry alone. Null where it
 * changes, and where only a look at the whole file can show that.
 */
export function unchangedNote(file: Uint8Array | null, key: string, asked: Note): Note | null {
  try {
    const entry = file === null ? undefined : entryAt(file, key)
    if (entry === undefined) return null
    const note = checkNote(key, entry)
    return isSame(note, noteByPerson(note, asked)) ? note : null
  } catch {
    return null
  }
}

/** The note of one key, null without one. */
export const noteIn = ({ file, key }: { file: Uint8Array | null; key: string }): Note | null =>
  notesIn(file).get(key) ?? null

/** The valid notes of a file as JSON. A past state may have a bad file. */
export const notesJson = ({ file }: { file: Uint8Array | null }): Uint8Array =>
  renderEntries(notesIn(file)) ?? Buffer.from('{}')
