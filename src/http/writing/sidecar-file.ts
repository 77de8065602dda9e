/** A file of a sidecar in a change: as stored, and as it becomes. */
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { asBuffer } from '../../bundle/file-change.ts'
import { refuseTwinsOfSidecar } from '../../project/case-twins.ts'
import type { Project } from '../../project/project.ts'
import { type SidecarFile, sidecarPath } from '../../project/sidecars/sidecars.ts'
import type { State } from '../../project/state.ts'
import type { Transaction } from '../../store/store.ts'
import type { CurrentEntity } from '../answers/conditional.ts'

type SidecarPlace = Omit<SidecarFile, 'kind'>

/** The stored file; a missing one has the entity tag of an empty bundle. */
export function sidecarAt(state: State, place: SidecarPlace): CurrentEntity & { bytes: Buffer | null } {
  const path = sidecarPath(place)
  const entry = state.entry(path)
  if (entry?.kind !== 'blob') return { id: EMPTY_BUNDLE_ID, exists: false, bytes: null }
  return { id: entry.id, exists: true, bytes: state.read(path)! }
}

/** Puts a file, null to remove it. @returns its id @throws Failure `conflict` for a new file with a twin */
export function putSidecar(tx: Transaction, project: Project, place: SidecarPlace, file: Uint8Array | null): string {
  const path = sidecarPath(place)
  const { exists, bytes } = sidecarAt(tx, place)
  if (file === null) tx.remove(path)
  else {
    if (!exists) refuseTwinsOfSidecar(tx, project, place)
    if (!bytes?.equals(file)) tx.put(path, asBuffer(file))
  }
  return sidecarAt(tx, place).id
}
