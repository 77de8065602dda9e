/** The comments of a namespace in a change: as stored, the task that changes them, and their new file. */

import { idOf } from '../../project/layout.ts'
import type { Project } from '../../project/project.ts'
import type { CommentChange } from '../../project/sidecars/comments-file.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import { TaskFile } from '../../project/sidecars/task-file.ts'
import type { State } from '../../project/state.ts'
import type { Transaction } from '../../store/store.ts'
import type { BundleTask } from './bundle-task.ts'
import { putSidecar, sidecarAt } from './sidecar-file.ts'
import { unreadTask } from './unread-task.ts'

const placeOf = (slug: string, namespace: string) => ({ slug, sidecar: 'comments', namespace }) as const

/** The task that changes a comment; the worker computes it where the file is large. */
export function commentsTask(
  state: State,
  { slug, sourceLanguage: language }: Project,
  namespace: string,
  change: CommentChange,
): BundleTask<'changeComments'> {
  const path = sidecarPath(placeOf(slug, namespace))
  const bundle = { slug, language, namespace }
  // A later run may have another change: the caller may have lost the right to delete the comments of others.
  const asked = JSON.stringify(change)
  const bytes = Buffer.from(asked)
  const files = { path, namespace, file: TaskFile.at(path, state), change: new TaskFile(asked, () => bytes) }
  return unreadTask('changeComments', bundle, idOf(state, bundle), { files })
}

/** The stored comments of a namespace. */
export const commentsAt = (state: State, slug: string, namespace: string) => sidecarAt(state, placeOf(slug, namespace))

/** Puts the file of a namespace's comments, null to remove it. @throws Failure as {@link putSidecar} does */
export function putComments(tx: Transaction, project: Project, namespace: string, file: Uint8Array | null): void {
  putSidecar(tx, project, placeOf(project.slug, namespace), file)
}
