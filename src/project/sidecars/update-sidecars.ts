/** Updates every sidecar in the commit of a change: each write to a repository passes here. */
import type { Steps } from '../../scheduling/steps.ts'
import type { ChangedState, ChangeHints, ComputeSidecars } from '../stale-tasks.ts'
import { updateStaleEntries } from '../update-stale-entries.ts'
import { updateKeySidecars } from './update-key-sidecars.ts'

/** @throws as `compute` does */
export function* updateSidecars(change: ChangedState, hints: ChangeHints, compute: ComputeSidecars): Steps<void> {
  if (hints.hasSidecars) return
  yield* updateStaleEntries(change, hints, compute)
  yield* updateKeySidecars(change, hints, compute)
}
