/** Waiting for a condition. */
import { setTimeout as pause } from 'node:timers/promises'

/** Asks until the answer is true. @returns false when the time ran out */
export async function eventually(question: () => boolean | Promise<boolean>, milliseconds = 120_000): Promise<boolean> {
  const end = Date.now() + milliseconds
  for (;;) {
    if (await question()) return true
    if (Date.now() > end) return false
    await pause(50)
  }
}
