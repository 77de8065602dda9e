/** Parts that create keys have the source language's file beside them, which says where new keys stand. */
import type { MadeFile } from '../../bundle/made-file.ts'
import type { SourceFile } from '../../bundle/source-file.ts'
import { sourceBeside } from '../../project/layout.ts'
import type { Project } from '../../project/project.ts'
import type { State } from '../../project/state.ts'
import type { Snapshot } from '../../store/store.ts'
import type { TaskAnswer, TaskName } from '../../worker/tasks.ts'
import type { Compute, Part } from './computing.ts'

/** Which source file: of a state, unless the change itself makes another. */
interface Source {
  state: Snapshot
  project: Project
  /** The source file after this change; undefined where it stays. */
  made?: MadeFile
  /** The state to read it in; by default the newest one. */
  at?: (latest: Snapshot) => State
}

/** A part with its source file. The source language itself, and flat projects, have none. */
export function besideSource<N extends TaskName>(
  part: Part<N>,
  { state, project, made, at = now => now }: Source,
): Part<N> {
  const sourceIn = (latest: Snapshot): SourceFile | undefined => {
    if (made === undefined || part.bundle.language === project.sourceLanguage)
      return sourceBeside(at(latest), project, part.bundle)
    return made ?? undefined
  }
  const source = sourceIn(state)
  if (source === undefined) return part
  return {
    ...part,
    variant: `${part.variant ?? ''} ${source.id}`,
    *more(latest) {
      yield* part.more?.(latest) ?? []
      yield* bytesOf(sourceIn(latest))
    },
    task: (stored, inThread, latest) => part.task({ ...stored, source: sourceIn(latest) }, inThread, latest),
  }
}

const bytesOf = (source: SourceFile | undefined): Uint8Array[] => (source ? [source.bytes] : [])

/**
 * The answers of parts in their order. Those of the source language are computed first, and the other languages have
 * what these make of the source files.
 * @param fileOf an answer's file
 */
export function computeAfterSource<N extends TaskName>(
  parts: readonly Part<N>[],
  source: Pick<Source, 'state' | 'project'>,
  compute: Compute,
  fileOf: (answer: TaskAnswer<N>) => MadeFile,
): TaskAnswer<N>[] {
  const isSource = ({ bundle }: Part<N>) => bundle.language === source.project.sourceLanguage
  const first = parts.filter(isSource)
  const ofSource = compute(first)
  const made = new Map(first.map(({ bundle }, at) => [bundle.namespace, fileOf(ofSource[at]!)]))
  const others = parts.filter(part => !isSource(part))
  const ofOthers = compute(others.map(part => besideSource(part, { ...source, made: made.get(part.bundle.namespace) })))
  const [next, nextOther] = [ofSource.values(), ofOthers.values()]
  return parts.map(part => (isSource(part) ? next : nextOther).next().value!)
}
