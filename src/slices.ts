/** Long work in slices: between two of its steps others have their turn, as soon as a slice is over. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** How long others wait for the work, in milliseconds, where a single step does not take longer. */
export const SLICE_MS = 8

/** @returns what is to be awaited between steps: at once while the slice lasts, else when all others have had their turn */
export function slices(milliseconds = SLICE_MS): () => Promise<void> {
  let until = performance.now() + milliseconds
  return async () => {
    if (performance.now() < until) return
    await yieldToOthers()
    until = performance.now() + milliseconds
  }
}
