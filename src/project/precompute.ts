/** Work of a change that may have to be computed before it, see "Large work" in docs/architecture.md. */
import { workOf } from '../bundle/work.ts'

/** Reads for a task: yields each file as it is read, and returns the task. */
export type TaskReads<T> = Generator<Uint8Array, T, undefined>

/** Yields a file, if there is one. */
export function* reading(bytes: Uint8Array | null | undefined): TaskReads<Uint8Array | null> {
  if (bytes) yield bytes
  return bytes ?? null
}

/** Reads all at once. */
export function readTask<T>(reads: TaskReads<T>): T {
  for (;;) {
    const read = reads.next()
    if (read.done) return read.value
  }
}

/** Gives a task's answer, or throws its failure. */
export type SettledAnswer = () => unknown

/** Thrown by {@link computeInPlace}: these tasks have to be computed before the change can run. */
export class NeedsPrecomputing<T> {
  readonly tasks: T[]

  constructor(tasks: T[]) {
    this.tasks = tasks
  }
}

/** What one run of a change may compute in place. */
export interface Allowance {
  /** Units of {@link workOf}. */
  work: number
  /** The time by `performance.now()` after which only the first task of a call runs. */
  until?: number
}

/**
 * The answers of tasks, computed in place as far as the allowance reaches. The first file that exceeds it ends the
 * look: no other file is read in this turn of the event loop.
 * @param settled answers by key: equal keys have equal answers
 * @throws NeedsPrecomputing with the tasks that are left
 */
export function computeInPlace<T>(
  tasks: readonly T[],
  settled: Map<string, SettledAnswer>,
  allowance: Allowance,
  of: { key: (task: T) => string; reads: (task: T) => Iterable<Uint8Array>; settle: (task: T) => SettledAnswer },
): unknown[] {
  const { until = Infinity } = allowance
  return tasks.map((task, at) => {
    const key = of.key(task)
    const known = settled.get(key)
    if (known !== undefined) return known()
    const needed = () => new NeedsPrecomputing(tasks.slice(at))
    if (at > 0 && performance.now() >= until) throw needed()
    for (const bytes of of.reads(task)) {
      allowance.work -= workOf(bytes)
      if (allowance.work < 0) throw needed()
    }
    const answer = of.settle(task)
    settled.set(key, answer)
    return answer()
  })
}
