/** The notes of a namespace in a change: as stored, the task that changes them, and their new file. */
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { asBuffer } from '../../bundle/file-change.ts'
import type { Note } from '../../bundle/note.ts'
import type { Project } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import type { State } from '../../project/state.ts'
import type { Transaction } from '../../store/store.ts'
import type { CurrentEntity } from '../answers/conditional.ts'
import type { BundleTask } from './bundle-task.ts'
import { sidecarTask } from './sidecar-task.ts'

interface NotesChange {
  namespace: string
  /** Pairs of a key and its new note as JSON; null removes a note. */
  changes: Uint8Array
  from: 'code' | 'person'
}

/** The task that changes notes; the worker computes it where there are many. */
export function notesTask(
  state: State,
  { slug, sourceLanguage: language }: Project,
  { namespace, changes, from }: NotesChange,
): BundleTask<'changeNotes'> {
  const bundle = { slug, language, namespace }
  const path = sidecarPath({ slug, sidecar: 'notes', namespace })
  return sidecarTask(state, 'changeNotes', {
    ...{ bundle, paths: [path], asked: changes },
    input: (file = null) => ({ path, file, changes, from }),
  })
}

/** The change of one note, null to remove it. */
export const noteChange = (key: string, note: Note | null): Uint8Array => Buffer.from(JSON.stringify([[key, note]]))

/** The stored notes of a namespace; missing ones have the entity tag of an empty bundle. */
export function notesAt(state: State, slug: string, namespace: string): CurrentEntity & { bytes: Buffer | null } {
  const path = sidecarPath({ slug, sidecar: 'notes', namespace })
  const entry = state.entry(path)
  if (entry?.kind !== 'blob') return { id: EMPTY_BUNDLE_ID, exists: false, bytes: null }
  return { id: entry.id, exists: true, bytes: state.read(path)! }
}

/** Puts the file of a namespace's notes, null to remove it. @returns its id */
export function putNotes(tx: Transaction, slug: string, namespace: string, file: Uint8Array | null): string {
  const path = sidecarPath({ slug, sidecar: 'notes', namespace })
  if (file === null) tx.remove(path)
  else if (!tx.read(path)?.equals(file)) tx.put(path, asBuffer(file))
  return notesAt(tx, slug, namespace).id
}
