/** What outside edits and comparisons need computed: by the worker where it would hold up others. */
import { workOf } from '../bundle/work.ts'
import { judgeEdit } from './outside-edit.ts'
import type { ComputeSteps, Step } from './stale-steps.ts'
import { notesFile, sourceChanges, staleIn } from './staleness.ts'
import { computeDiff, messageIn } from './versions.ts'

const here = { edit: judgeEdit, sourceChanges, staleIn, notesFile, diff: computeDiff, message: messageIn }
type Computed = typeof here

/** Computes one of these. @param left aborted when nobody waits @throws Failure as they do, `unavailable` when it cannot */
export type ComputeAside = <N extends keyof Computed>(
  name: N,
  task: Parameters<Computed[N]>[0],
  left?: AbortSignal,
) => Promise<ReturnType<Computed[N]>>

/** In this turn of the event loop. */
export const computeHere: ComputeAside = async (name, task) =>
  (here[name] as (task: unknown) => ReturnType<Computed[typeof name]>)(task)

/** Work that is computed in place, where others wait some 5 ms; what is more is computed aside. */
export const ROOM: number = 2 ** 18
/** So often what is computed ahead may be overtaken; then all is done within the change. */
const ROUNDS = 20

class Missing {
  readonly steps: Step[]

  constructor(steps: Step[]) {
    this.steps = steps
  }
}

/**
 * Runs a change whose notes need computing until all is there, and again with each part that was computed ahead.
 * @throws as `run` does, Failure as `aside`
 */
export async function withSteps<T>(
  aside: ComputeAside,
  run: (compute: ComputeSteps) => T | Promise<T>,
  rounds = ROUNDS,
): Promise<T> {
  const made = new Map<string, unknown>()
  for (let round = 1; ; round++) {
    let room = round > rounds ? Infinity : ROOM
    const compute = (steps: Step[]) =>
      steps.map((step, at) => {
        if (made.has(nameOf(step))) return made.get(nameOf(step))
        for (const bytes of step.inputs()) {
          room -= workOf(bytes)
          if (room < 0) throw new Missing(steps.slice(at))
        }
        return (here[step.name] as (task: unknown) => unknown)(step.task())
      })
    try {
      return await run(compute as ComputeSteps)
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      for (const step of error.steps) made.set(nameOf(step), await aside(step.name, step.task()))
    }
  }
}

const nameOf = ({ name, bundle, id, variant }: Step): string =>
  `${name} ${bundle.language}/${bundle.namespace} ${id} ${variant}`
