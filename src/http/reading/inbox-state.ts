/** The newest state of an organization, as inboxes are read from it. */
import type { InboxState } from '../../inbox/inbox-reader.ts'
import type { ReadOnlyStore } from '../../store/store.ts'
import type { BundleWorker } from '../../worker/worker.ts'
import { type PinnedState, pinnedAt } from './pinned-state.ts'

/** @throws Failure as `store.read` */
export async function inboxState(
  app: { store: Pick<ReadOnlyStore, 'read' | 'look'>; worker: BundleWorker },
  organization: string,
): Promise<InboxState & Pick<PinnedState, 'look'>> {
  const revision = await app.store.read(organization, now => now.revision)
  const pinned = pinnedAt(app, organization, revision)
  return {
    revision,
    look: pinned.look,
    past: use => app.store.look(organization, use),
    compute: (name, taskIn, options) => pinned.compute(name, taskIn, options),
  }
}
