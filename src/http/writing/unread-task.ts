/** A task of a change over files that are known by their ids until it runs. */
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { readTask, type TaskReads } from '../../project/precompute.ts'
import type { BundleName } from '../../project/project.ts'
import { readFiles } from '../../project/sidecars/task-file.ts'
import type { BundleTask } from './bundle-task.ts'

interface UnreadInput {
  /** The input as an `UnreadTask`. */
  files: object
  /** What is no file, and a name for it. */
  rest?: { input: object; name: string }
}

/** @param id of the bundle that the answer holds for */
export function unreadTask<N extends 'differingKeys' | 'judgeTexts'>(
  name: N,
  bundle: BundleName,
  id: string | null,
  { files, rest = { input: {}, name: '' } }: UnreadInput,
): BundleTask<N> {
  const read = () => readFiles(files) as TaskReads<object>
  return {
    ...{ name, bundle, id: id ?? EMPTY_BUNDLE_ID, format: 'i18next-json', readsNoFile: true, extraBytes: read },
    variant: `${JSON.stringify(files)} ${rest.name}`,
    task: () => ({ ...readTask(read()), ...rest.input }) as ReturnType<BundleTask<N>['task']>,
  }
}
