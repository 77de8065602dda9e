/** Work in steps: others may have their turn between two of them. */
import { nextTurn } from '../slices.ts'

/** At each `yield` the work may pause; what it rests on must not change meanwhile. */
export type Steps<T> = Generator<undefined, T, undefined>

const SLICE_MS = 6

/** Whether a function gave steps towards its result instead of the result. */
export function isSteps<T>(given: T | Steps<T>): given is Steps<T> {
  return typeof given === 'object' && given !== null && Symbol.iterator in given && 'next' in given
}

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Does the steps in slices of milliseconds. @param check asked before each slice: throws to stop */
export async function inSlices<T>(steps: Steps<T>, check: () => void = () => {}): Promise<T> {
  for (;;) {
    check()
    const until = performance.now() + SLICE_MS
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (performance.now() < until)
    await nextTurn()
  }
}
