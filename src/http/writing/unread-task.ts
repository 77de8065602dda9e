/** A task of a change over files that are known by their ids until it runs. */
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import type { Format } from '../../bundle/names.ts'
import { bytesIn } from '../../bundle/work.ts'
import { readTask, type TaskReads } from '../../project/precompute.ts'
import type { BundleName } from '../../project/project.ts'
import { readFiles, type UnreadTask } from '../../project/sidecars/task-file.ts'
import type { TaskInput, TaskName } from '../../worker/tasks.ts'
import type { BundleTask } from './bundle-task.ts'

interface UnreadInput<N extends TaskName, Rest> {
  files: UnreadTask<Omit<TaskInput<N>, keyof Rest>>
  /** What is large and no file, and a name for it. */
  rest?: { input: Rest; name: string }
  format?: Format
}

/** @param id of the bundle that the answer holds for */
export function unreadTask<N extends TaskName, Rest extends object = Record<never, never>>(
  name: N,
  bundle: BundleName,
  id: string | null,
  { files, rest, format = 'i18next-json' }: UnreadInput<N, Rest>,
): BundleTask<N> {
  const read = () => readFiles(files) as TaskReads<object>
  return {
    ...{ name, bundle, id: id ?? EMPTY_BUNDLE_ID, format, readsNoFile: true },
    *extraBytes() {
      yield* bytesIn(rest?.input)
      yield* read()
    },
    variant: `${JSON.stringify(files)} ${rest?.name ?? ''}`,
    task: () => ({ ...readTask(read()), ...rest?.input }) as ReturnType<BundleTask<N>['task']>,
  }
}
