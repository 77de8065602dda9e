/** Long work in slices. Other work has its turns between them. */
import { setImmediate as nextImmediate } from 'node:timers/promises'

/** Milliseconds of a slice, unless a single step lasts longer. */
export const SLICE_MS = 8

/** The share of a first slice: many works may begin in one turn. */
const FIRST = 1 / 8

/** Resolves at the turn of the last waiting work. */
let last: Promise<void> = Promise.resolve()

/** Yields to others. Of all waiting works one continues in each turn: together they would block others. */
export function nextTurn(): Promise<void> {
  last = last.then(() => nextImmediate())
  return last
}

/** @returns the pause between two steps: resolves at once within the slice, else in a later turn */
export function slices(milliseconds = SLICE_MS): () => Promise<void> {
  let until = performance.now() + milliseconds * FIRST
  return async () => {
    if (performance.now() < until) return
    await nextTurn()
    until = performance.now() + milliseconds
  }
}
