/** The comments of a namespace in a change: as stored, the task that changes them, and their new file. */
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { asBuffer } from '../../bundle/file-change.ts'
import { refuseSidecarTwin } from '../../project/case-twins.ts'
import type { Project } from '../../project/project.ts'
import type { CommentChange } from '../../project/sidecars/comments-file.ts'
import { sidecarFolder, sidecarPath } from '../../project/sidecars/sidecars.ts'
import type { State } from '../../project/state.ts'
import type { Transaction } from '../../store/store.ts'
import type { BundleTask } from './bundle-task.ts'
import { sidecarTask } from './sidecar-task.ts'

const pathOf = (slug: string, namespace: string) => sidecarPath({ slug, sidecar: 'comments', namespace })

/** The task that changes a comment; the worker computes it where the file is large. */
export function commentsTask(
  state: State,
  { slug, sourceLanguage: language }: Project,
  namespace: string,
  change: CommentChange,
): BundleTask<'changeComments'> {
  const path = pathOf(slug, namespace)
  const asked = Buffer.from(JSON.stringify(change))
  const task = sidecarTask(state, 'changeComments', {
    ...{ bundle: { slug, language, namespace }, paths: [path], asked },
    input: (file = null) => ({ path, namespace, file, change: asked }),
  })
  // A later run may have another change: the caller may have lost the right to delete the comments of others.
  return { ...task, variant: `${task.variant} ${asked}` }
}

/** The stored comments of a namespace; missing ones have the entity tag of an empty bundle. */
export function commentsAt(state: State, slug: string, namespace: string): { id: string; bytes: Buffer | null } {
  const path = pathOf(slug, namespace)
  const entry = state.entry(path)
  if (entry?.kind !== 'blob') return { id: EMPTY_BUNDLE_ID, bytes: null }
  return { id: entry.id, bytes: state.read(path)! }
}

/** Puts the file of a namespace's comments, null to remove it. @throws Failure `conflict` for a new file with a twin */
export function putComments(tx: Transaction, project: Project, namespace: string, file: Uint8Array | null): void {
  const path = pathOf(project.slug, namespace)
  const stored = tx.read(path)
  if (file === null) {
    if (stored) tx.remove(path)
    return
  }
  if (!stored) refuseSidecarTwin(tx, project, sidecarFolder(project.slug, 'comments'), namespace)
  if (!stored?.equals(file)) tx.put(path, asBuffer(file))
}
