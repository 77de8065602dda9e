/** Tasks that create keys get the source language's file, which says where new keys stand. */
import type { FileChange, SourceFile } from '../../bundle/file-change.ts'
import { sourceBeside } from '../../project/layout.ts'
import type { Project } from '../../project/project.ts'
import type { State } from '../../project/state.ts'
import { inSteps, type Steps } from '../../scheduling/steps.ts'
import type { Snapshot } from '../../store/store.ts'
import type { TaskAnswer, TaskName } from '../../worker/tasks.ts'
import type { BundleTask, Compute } from './bundle-task.ts'

/** Where the source file comes from: a state, or the change itself. */
interface Source {
  state: Snapshot
  project: Project
  /** The source file after this change; undefined where it stays. */
  change?: FileChange
  /** The state to read it in; by default the newest one. */
  at?: (latest: Snapshot) => State
}

/** A task with its source file. The source language itself, and flat projects, have none. */
export function besideSource<N extends TaskName>(
  task: BundleTask<N>,
  { state, project, change, at = now => now }: Source,
): BundleTask<N> {
  const sourceIn = (latest: Snapshot): SourceFile | undefined => {
    const isStored = change === undefined || change.kind === 'unchanged'
    if (isStored || task.bundle.language === project.sourceLanguage) {
      return sourceBeside(at(latest), project, task.bundle)
    }
    return change.kind === 'written' ? change : undefined
  }
  const source = sourceIn(state)
  if (source === undefined) return task
  return {
    ...task,
    variant: `${task.variant ?? ''} ${source.id}`,
    *extraBytes(latest) {
      yield* task.extraBytes?.(latest) ?? []
      yield* bytesOf(sourceIn(latest))
    },
    task: (stored, inThread, latest) => task.task({ ...stored, source: sourceIn(latest) }, inThread, latest),
  }
}

const bytesOf = (source: SourceFile | undefined): Uint8Array[] => (source ? [source.bytes] : [])

/**
 * The answers of tasks in their order. The source language is computed first. The other languages get its new files. In
 * steps.
 * @param fileOf an answer's file
 */
export function* computeAfterSource<N extends TaskName>(
  tasks: readonly BundleTask<N>[],
  source: Pick<Source, 'state' | 'project'>,
  compute: Compute,
  fileOf: (answer: TaskAnswer<N>) => FileChange | undefined,
): Steps<TaskAnswer<N>[]> {
  const isSource = ({ bundle }: BundleTask<N>) => bundle.language === source.project.sourceLanguage
  const first = tasks.filter(isSource)
  const ofSource = compute(first)
  const changes = new Map(first.map(({ bundle }, at) => [bundle.namespace, fileOf(ofSource[at]!)]))
  const others = tasks.filter(task => !isSource(task))
  const ofOthers = compute(
    yield* inSteps(others, task => besideSource(task, { ...source, change: changes.get(task.bundle.namespace) })),
  )
  const [next, nextOther] = [ofSource.values(), ofOthers.values()]
  return tasks.map(task => (isSource(task) ? next : nextOther).next().value!)
}
