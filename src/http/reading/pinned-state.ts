/**
 * One repository state across turns, for reads of many files. Small files are parsed at once, large ones in the worker.
 */
import type { FastifyRequest } from 'fastify'
import { workIn } from '../../bundle/work.ts'
import type { Claimant } from '../../scheduling/fair-shares.ts'
import { slices } from '../../scheduling/slices.ts'
import type { ReadOnlyStore, Snapshot } from '../../store/store.ts'
import { compute, type TaskAnswer, type TaskInput, type TaskName } from '../../worker/tasks.ts'
import type { BundleWorker } from '../../worker/worker.ts'
import { claimantOfCaller } from '../bounds/body-memory.ts'
import { stateAt } from '../requests/at.ts'
import { requireCaller } from '../requests/caller.ts'
import { LARGE } from '../writing/change-runner.ts'

declare module 'fastify' {
  interface FastifyInstance {
    worker: BundleWorker
  }
}

export class PinnedState {
  /** Runs `use` on the state, also after the organization was reopened. */
  readonly look: <T>(use: (snapshot: Snapshot) => T) => Promise<T>
  /** Ends a turn of the event loop that has lasted too long. {@link compute} calls it first. */
  readonly pause = slices()
  readonly #worker: BundleWorker
  readonly #claimant: Claimant | undefined

  constructor(look: PinnedState['look'], worker: BundleWorker, claimant?: Claimant) {
    this.look = look
    this.#worker = worker
    this.#claimant = claimant
  }

  /**
   * @param most maximum work of a task that runs at once, see {@link workOf}
   * @throws Failure as the task and `BundleWorker.run` do
   */
  async compute<N extends TaskName>(
    name: N,
    taskIn: (snapshot: Snapshot) => TaskInput<N>,
    { most = LARGE, left }: { most?: number; left?: AbortSignal } = {},
  ): Promise<TaskAnswer<N>> {
    await this.pause()
    const small = await this.look(state => {
      const task = taskIn(state)
      return workIn(task) <= most ? { answer: compute(name, task) } : undefined
    })
    if (small) return small.answer
    return (await this.#worker.run(name, () => this.look(taskIn), left, this.#claimant))!
  }
}

/** The state of an organization at a revision. @param claimant who waits for the worker; by default all of it */
export function pinnedAt(
  { store, worker }: { store: Pick<ReadOnlyStore, 'read'>; worker: BundleWorker },
  organization: string,
  revision: string | null,
  claimant: Claimant = { organization, credential: organization },
): PinnedState {
  return new PinnedState(
    use => store.read(organization, now => use(now.revision === revision ? now : stateAt(now, revision))),
    worker,
    claimant,
  )
}

/** The state of a request. */
export function pinnedStateOf(request: FastifyRequest, { revision }: Pick<Snapshot, 'revision'>): PinnedState {
  const caller = requireCaller(request, 'read')
  return pinnedAt(request.server, caller.organization, revision, claimantOfCaller(caller))
}
