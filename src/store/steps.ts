/** Work in steps: between two of them others may have their turn. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** Each `yield` is a place where the work may stop for a while; what it rests on must not change meanwhile. */
export type Steps<T> = Generator<undefined, T, undefined>

/** How long others wait while work goes on, in milliseconds. */
const SLICE_MS = 6

/** Whether a function has given steps that lead to its result, in place of the result. */
export function isSteps<T>(given: T | Steps<T>): given is Steps<T> {
  return typeof given === 'object' && given !== null && Symbol.iterator in given && 'next' in given
}

/** Does all steps in this turn. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Does the steps in slices of a few milliseconds. @param check asked before each slice: throws where there is no going on */
export async function inSlices<T>(steps: Steps<T>, check: () => void = () => {}): Promise<T> {
  for (;;) {
    check()
    const until = performance.now() + SLICE_MS
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (performance.now() < until)
    await yieldToOthers()
  }
}
