/** The newest state of an organization, as inboxes are read from it. */
import type { InboxState } from '../../inbox/inbox-reader.ts'
import type { ReadOnlyStore } from '../../store/store.ts'
import type { BundleWorker } from '../../worker/worker.ts'
import { stateAt } from '../requests/at.ts'
import { PinnedState } from './pinned-state.ts'

/** @throws Failure as `store.read` */
export async function inboxState(
  { store, worker }: { store: Pick<ReadOnlyStore, 'read' | 'look'>; worker: BundleWorker },
  organization: string,
): Promise<InboxState & Pick<PinnedState, 'look'>> {
  const revision = await store.read(organization, now => now.revision)
  const look: PinnedState['look'] = use =>
    store.read(organization, now => use(now.revision === revision ? now : stateAt(now, revision)))
  const pinned = new PinnedState(look, worker, { organization, credential: organization })
  return {
    revision,
    look,
    past: use => store.look(organization, use),
    compute: (name, taskIn, options) => pinned.compute(name, taskIn, options),
  }
}
