/** The notes of a namespace in a change: as stored, the task that changes them, and their new file. */
import type { Note } from '../../bundle/note.ts'
import { idOf } from '../../project/layout.ts'
import type { Project } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import { TaskFile } from '../../project/sidecars/task-file.ts'
import type { State } from '../../project/state.ts'
import type { Transaction } from '../../store/store.ts'
import type { BundleTask } from './bundle-task.ts'
import { putSidecar, sidecarAt } from './sidecar-file.ts'
import { unreadTask } from './unread-task.ts'

const placeOf = (slug: string, namespace: string) => ({ slug, sidecar: 'notes', namespace }) as const

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
  const path = sidecarPath(placeOf(slug, namespace))
  const files = { path, file: TaskFile.at(path, state), changes: new TaskFile('asked', () => changes), from }
  return unreadTask('changeNotes', bundle, idOf(state, bundle), { files })
}

/** The change of one note, null to remove it. */
export const noteChange = (key: string, note: Note | null): Uint8Array => Buffer.from(JSON.stringify([[key, note]]))

/** The stored notes of a namespace. */
export const notesAt = (state: State, slug: string, namespace: string) => sidecarAt(state, placeOf(slug, namespace))

/** Puts the file of a namespace's notes, null to remove it. @returns its id @throws as {@link putSidecar} */
export const putNotes = (tx: Transaction, project: Project, namespace: string, file: Uint8Array | null): string =>
  putSidecar(tx, project, placeOf(project.slug, namespace), file)
