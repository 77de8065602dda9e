/** The file with the notes of a namespace: `<slug>/notes/<namespace>.json`. */
import { isObject } from '../../bundle/body.ts'
import { Failure } from '../../bundle/errors.ts'
import { MAX_FILE } from '../../bundle/file-size.ts'
import { keyFault, shortKey } from '../../bundle/names.ts'
import { checkNote, isEmptyNote, type Note, noteByCode, noteByPerson } from '../../bundle/note.ts'
import { editedJson } from '../edited-json.ts'
import { entriesIn, type KeyEntries, renderEntries } from './key-file.ts'

/** Reads a file by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export function parseNotes(bytes: Uint8Array): KeyEntries<Note> {
  const value = editedJson(bytes)
  if (!isObject(value)) throw new Failure('unfit', 'A file of notes must be a JSON object: notes by key.')
  const notes: KeyEntries<Note> = new Map()
  for (const [key, entry] of Object.entries(value)) {
    const fault = keyFault(key)
    if (fault !== undefined) throw new Failure('unfit', `The key ${JSON.stringify(shortKey(key))} ${fault}.`)
    const note = checkNote(key, entry)
    if (!isEmptyNote(note)) notes.set(key, note)
  }
  return notes
}

/** The notes at HEAD: a file that breaks the rules has none. */
export function notesIn(bytes: Uint8Array | null | undefined): KeyEntries<Note> {
  const notes: KeyEntries<Note> = new Map()
  for (const [key, entry] of entriesIn(bytes)) {
    try {
      notes.set(key, checkNote(key, entry))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }
  return notes
}

/** Changes of a namespace's notes. */
export interface NotesTask {
  /** The stored file. */
  file: Uint8Array | null
  /** Pairs of a key and its new note, checked, as JSON; null removes a note. */
  changes: Uint8Array
  from: 'code' | 'person'
}

/** The new file, null for none, and the changed keys with their notes. */
export interface NotesAnswer {
  file: Uint8Array | null
  changed: [key: string, note: Note | null][]
}

/** Changes notes. @throws Failure `too-large` for too large a file */
export function changeNotes({ file, changes, from }: NotesTask): NotesAnswer {
  const notes = notesIn(file)
  const changed: NotesAnswer['changed'] = []
  const merge = from === 'code' ? noteByCode : noteByPerson
  const pairs: [string, Note | null][] = JSON.parse(Buffer.from(changes).toString('utf8'))
  for (const [key, asked] of pairs) {
    const old = notes.get(key)
    const note = asked === null ? {} : merge(old, asked)
    if (JSON.stringify(note) === JSON.stringify(old ?? {})) continue
    if (isEmptyNote(note)) notes.delete(key)
    else notes.set(key, note)
    changed.push([key, isEmptyNote(note) ? null : note])
  }
  const bytes = renderEntries(notes)
  if (bytes && bytes.length > Math.max(MAX_FILE, file?.length ?? 0)) {
    const limit = MAX_FILE.toLocaleString('en')
    throw new Failure('too-large', `The file of notes would have more than ${limit} bytes: split the namespace.`)
  }
  return { file: bytes, changed }
}

/** The note of one key, null without one. */
export const noteIn = ({ file, key }: { file: Uint8Array | null; key: string }): Note | null =>
  notesIn(file).get(key) ?? null
