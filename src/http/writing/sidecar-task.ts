/** A task of a change over files beside the bundles. The worker computes it where they are large. */
import { bundleAt } from '../../project/layout.ts'
import type { BundleName } from '../../project/project.ts'
import type { TaskFile } from '../../project/sidecars/task-file.ts'
import type { State } from '../../project/state.ts'
import type { TaskInput, TaskName } from '../../worker/tasks.ts'
import type { BundleTask } from './bundle-task.ts'

interface SidecarInput<N extends TaskName> {
  /** The bundle that the files belong to. */
  bundle: BundleName
  paths: readonly string[]
  /** Files of older states, behind those of `paths`. */
  older?: readonly (TaskFile | null)[]
  /** The caller's bytes, if the task reads some. */
  asked?: Uint8Array
  /** @param files those of `paths`, null where there is none */
  input: (...files: (Buffer | null)[]) => TaskInput<N>
}

/** The answer holds as long as the files, and the bundle, stay as they are. */
export function sidecarTask<N extends TaskName>(
  state: State,
  name: N,
  { bundle, paths, older = [], asked, input }: SidecarInput<N>,
): BundleTask<N> {
  const filesIn = (now: State) => [
    ...paths.map(path => now.read(path) ?? null),
    ...older.map(file => (file?.read() ?? null) as Buffer | null),
  ]
  return {
    name,
    bundle,
    id: bundleAt(state, bundle).id,
    format: 'i18next-json',
    readsNoFile: true,
    variant: paths.map(path => state.entry(path)?.id).join(' '),
    *extraBytes(now) {
      if (asked) yield asked
      for (const bytes of filesIn(now)) if (bytes) yield bytes
    },
    task: (_stored, _inThread, now) => input(...filesIn(now)),
  }
}
