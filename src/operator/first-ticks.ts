/**
 * V8 learns from the first calls of `process.nextTick` what the object is like that Node makes in each, and compiles it by that. Where
 * a program's start mixes kinds of them, what it learned is that there is no telling, for good: then a tick takes five times as long,
 * and every request takes seven of them, a tenth of what a read costs (Node 20). Many equal ones in a row, before anything else, settle it.
 */

/** As many as it takes; ten milliseconds of the start. */
const ENOUGH = 3000

/** See the top of the file: to be awaited before a server is built. */
export function settleTicks(): Promise<void> {
  let left = ENOUGH
  return new Promise(resolve => {
    const next = (): void => {
      if (left-- > 0) process.nextTick(next)
      else resolve()
    }
    next()
  })
}
