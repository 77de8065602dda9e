/** Requests that a busy server may refuse for a moment. */
import { setTimeout as pause } from 'node:timers/promises'

/** Repeats a request while its answer is 503, as a client does. The first search of an organization reads its texts. */
export async function untilReady<R extends { status: number }>(
  ask: () => Promise<R>,
  milliseconds = 120_000,
): Promise<R> {
  const end = Date.now() + milliseconds
  for (;;) {
    const reply = await ask()
    if (reply.status !== 503 || Date.now() > end) return reply
    await pause(200)
  }
}
