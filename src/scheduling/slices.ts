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

/** The pause between two steps: resolves at once within the slice, otherwise after a rest. */
export interface SlicePause {
  (): Promise<void>
  /** Milliseconds of work so far, without the rests. */
  worked(): number
}

/** @param rest what separates two slices: by default the turns of others; a background task may rest longer */
export function slices(milliseconds = SLICE_MS, rest: () => Promise<unknown> = nextTurn): SlicePause {
  let worked = 0
  let began = performance.now()
  let length = milliseconds * FIRST
  const pause = async () => {
    const spent = performance.now() - began
    if (spent < length) return
    worked += spent
    await rest()
    began = performance.now()
    length = milliseconds
  }
  return Object.assign(pause, { worked: () => worked + performance.now() - began })
}
