/** Long work in slices, between which others have their turn. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** Milliseconds for which others wait, unless a single step takes longer. */
export const SLICE_MS = 8

/** The first slice of each work is shorter by this: of those that begin in one turn, nobody waits for a turn of their own. */
const FIRST = 1 / 8

/** Resolves when the last work that waits has its turn. */
let last: Promise<void> = Promise.resolve()

/**
 * Lets all others have their turn. Of many works that wait here one goes on in each turn: together they would keep
 * others waiting.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => yieldToOthers())
  return last
}

/** @returns what to await between steps: resolves at once within the slice, else after all others had their turn */
export function slices(milliseconds = SLICE_MS): () => Promise<void> {
  let until = performance.now() + milliseconds * FIRST
  return async () => {
    if (performance.now() < until) return
    await nextTurn()
    until = performance.now() + milliseconds
  }
}
