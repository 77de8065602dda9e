/** Waiting for what comes of itself. */
import { setTimeout as pause } from 'node:timers/promises'

/** Waits until the question is answered with true; says whether it was before the time ran out. */
export async function eventually(question: () => boolean | Promise<boolean>, milliseconds = 120_000): Promise<boolean> {
  const end = Date.now() + milliseconds
  for (;;) {
    if (await question()) return true
    if (Date.now() > end) return false
    await pause(50)
  }
}
