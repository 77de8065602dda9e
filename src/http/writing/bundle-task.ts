/** Tasks for bundles, which a change needs computed, see "Large work" in docs/architecture.md. */
import { Failure } from '../../bundle/errors.ts'
import type { Stored } from '../../bundle/file-change.ts'
import type { Format } from '../../bundle/names.ts'
import { readTask, type SettledAnswer } from '../../project/precompute.ts'
import type { BundleName } from '../../project/project.ts'
import type { SidecarTask } from '../../project/stale-tasks.ts'
import type { Snapshot } from '../../store/store.ts'
import type { TaskAnswer, TaskInput, TaskName } from '../../worker/tasks.ts'

/** A pure task of a change: equal keys (see {@link keyOf}) give equal answers. */
export interface BundleTask<N extends TaskName = TaskName> {
  name: N
  bundle: BundleName
  /** Blob id of the stored file, for which the answer holds. */
  id: string
  format: Format
  /** The ids of all else that the answer depends on. */
  variant?: string
  /** Whether the task does without the stored file. Its id still says how long the answer holds. */
  readsNoFile?: boolean
  /** What the task reads beside the file, each as it is asked for. @param state the newest one */
  extraBytes?: (state: Snapshot) => Iterable<Uint8Array>
  /** @param inThread whether the worker runs it @param state the newest one */
  task: (stored: Stored, inThread: boolean, state: Snapshot) => TaskInput<N>
}

/**
 * The answers of tasks.
 * @throws NeedsPrecomputing when they have to be computed before the change, or as the tasks do
 */
export type Compute = <N extends TaskName>(tasks: BundleTask<N>[]) => TaskAnswer<N>[]

/** A task for sidecars. @param id of the stored source file @param variant what the task depends on beside that file */
export function bundleTaskOf<N extends SidecarTask['name']>(
  { name, bundle, read, variant: own }: SidecarTask<N>,
  id: string,
  variant: string = own,
): BundleTask<N> {
  const task = { name, bundle, id, format: 'i18next-json', readsNoFile: true, variant, extraBytes: read } as const
  return { ...task, task: () => readTask<unknown>(read()) as TaskInput<N> }
}

export const keyOf = ({ name, bundle, id, format, variant = '' }: BundleTask): string =>
  `${name} ${bundle.language}/${bundle.namespace} ${id} ${format} ${variant}`

export const giving = (answer: unknown): SettledAnswer | undefined => (answer === undefined ? undefined : () => answer)

export function failing(task: BundleTask, error: unknown): SettledAnswer {
  if (!(error instanceof Failure)) throw error
  return () => {
    throw withName(task, error)
  }
}

export function settledBy(task: BundleTask, run: () => unknown): SettledAnswer | undefined {
  try {
    return giving(run())
  } catch (error) {
    return failing(task, error)
  }
}

/** A task of a bundle does not know the name of its file, which an answer about its size needs. */
function withName({ bundle: { language, namespace }, readsNoFile }: BundleTask, error: Failure): Failure {
  if (error.code !== 'too-large' || readsNoFile) return error
  return new Failure('too-large', `${language}/${namespace}: ${error.message}`, error.data)
}
