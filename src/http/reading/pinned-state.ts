/**
 * One repository state across turns, for reads of many files. Small files are parsed at once, large ones in the worker.
 */
import type { FastifyRequest } from 'fastify'
import { workIn } from '../../bundle/work.ts'
import type { Snapshot } from '../../store/store.ts'
import { compute, type TaskAnswer, type TaskInput, type TaskName } from '../../worker/tasks.ts'
import type { BundleWorker } from '../../worker/worker.ts'
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
  readonly #worker: BundleWorker

  constructor(look: PinnedState['look'], worker: BundleWorker) {
    this.look = look
    this.#worker = worker
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
    const small = await this.look(state => {
      const task = taskIn(state)
      return workIn(task) <= most ? { answer: compute(name, task) } : undefined
    })
    return small ? small.answer : (await this.#worker.run(name, () => this.look(taskIn), left))!
  }
}

/** The state of a request. */
export function pinnedStateOf(request: FastifyRequest, { revision }: Pick<Snapshot, 'revision'>): PinnedState {
  const { organization } = requireCaller(request, 'read')
  const { store, worker } = request.server
  return new PinnedState(
    use => store.read(organization, now => use(now.revision === revision ? now : stateAt(now, revision))),
    worker,
  )
}
