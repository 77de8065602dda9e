/** The work of external edits and comparisons: large work is computed in the worker. */
import { type RefusedTextsTask, refusedTexts } from '../bundle/checks/refused-texts.ts'
import { judgeEdit } from './outside-edit.ts'
import { computeInPlace, NeedsPrecomputing, readTask, type SettledAnswer } from './precompute.ts'
import { followKeys } from './sidecars/follow-keys.ts'
import type { ComputeSidecars, SidecarTask } from './stale-tasks.ts'
import { sourceChanges, staleFile, staleIn } from './staleness.ts'
import { glossaryCheck } from './text-rules.ts'
import { computeDiff, messageIn } from './versions.ts'

/** The tasks of the store, by name; the worker can compute them. */
export const offloaded = {
  edit: judgeEdit,
  refusedTexts: (task: RefusedTextsTask) =>
    refusedTexts(task, glossaryCheck(task.sourceLanguage, task.language, task.rules)),
  sourceChanges,
  staleIn,
  staleFile,
  diff: computeDiff,
  message: messageIn,
  followKeys,
}
type Offloaded = typeof offloaded

/**
 * Computes a task, in the worker if it is large.
 * @param left aborts when no caller waits any more
 * @throws Failure as the task does, `unavailable` when the worker cannot compute it
 */
export type Offload = <N extends keyof Offloaded>(
  name: N,
  task: Parameters<Offloaded[N]>[0],
  left?: AbortSignal,
) => Promise<ReturnType<Offloaded[N]>>

/** Computes in this turn of the event loop. */
export const computeHere: Offload = async (name, task) =>
  (offloaded[name] as (task: unknown) => ReturnType<Offloaded[typeof name]>)(task)

/** Work that is computed in place, for some 5 ms; the worker computes what is more. */
export const MAX_WORK_IN_PLACE: number = 2 ** 18
/** Runs that other writes may overtake; the next run computes all in place. */
const MAX_OVERTAKEN = 20

/**
 * Runs a change, and again with each task that was computed before.
 * @throws as `run` does, Failure as `offload` does
 */
export async function runWithSidecars<T>(
  offload: Offload,
  run: (compute: ComputeSidecars) => T | Promise<T>,
  maxOvertaken = MAX_OVERTAKEN,
): Promise<T> {
  const settled = new Map<string, SettledAnswer>()
  const settle = ({ name, read }: SidecarTask): SettledAnswer => {
    const answer = (offloaded[name] as (task: unknown) => unknown)(readTask<unknown>(read()))
    return () => answer
  }
  for (let round = 1; ; round++) {
    const allowance = { work: round > maxOvertaken ? Infinity : MAX_WORK_IN_PLACE }
    const compute = (tasks: SidecarTask[]) =>
      computeInPlace(tasks, settled, allowance, { key: keyOf, reads: ({ read }) => read(), settle })
    try {
      return await run(compute as ComputeSidecars)
    } catch (error) {
      if (!(error instanceof NeedsPrecomputing)) throw error
      for (const task of error.tasks as SidecarTask[]) {
        const answer = await offload(task.name, readTask<never>(task.read() as never))
        settled.set(keyOf(task), () => answer)
      }
    }
  }
}

const keyOf = ({ name, bundle, id, variant }: SidecarTask): string =>
  `${name} ${bundle.language}/${bundle.namespace} ${id} ${variant}`
