/** Synchronous work in steps, for one turn or many. */
import { nextTurn, SLICE_MS } from './slices.ts'

/** The work may pause at each `yield`. Its input must not change meanwhile. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Whether a function returned steps towards its result instead of the result. */
export function isSteps<T>(given: T | Steps<T>): given is Steps<T> {
  return typeof given === 'object' && given !== null && Symbol.iterator in given && 'next' in given
}

/** The results for all values, with a pause after each. */
export function* inSteps<V, T>(values: Iterable<V>, act: (value: V) => T): Steps<T[]> {
  const results: T[] = []
  for (const value of values) {
    results.push(act(value))
    yield
  }
  return results
}

/** Runs all steps in this turn. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Runs the steps in slices. @param check called before each slice: a throw ends the work */
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
