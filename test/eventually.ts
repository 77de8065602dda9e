/** Waiting for a condition. */
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two questions: many start a git, which costs the process 25 ms. */
const PAUSES = { first: 50, longest: 200 }

/** Asks until the answer is true. @returns false when the time ran out */
export async function eventually(question: () => boolean | Promise<boolean>, milliseconds = 120_000): Promise<boolean> {
  const end = Date.now() + milliseconds
  for (let wait = PAUSES.first; ; wait = Math.min(wait + PAUSES.first, PAUSES.longest)) {
    if (await question()) return true
    if (Date.now() > end) return false
    await pause(wait)
  }
}
