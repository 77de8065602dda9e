/** Requests that a busy server may refuse for a moment. */
import { eventually } from './eventually.ts'

/** Repeats a request while its answer is 503, as a client does. The first search of an organization reads its texts. */
export async function untilReady<R extends { status: number }>(ask: () => Promise<R>): Promise<R> {
  let reply: R
  await eventually(async () => (reply = await ask()).status !== 503)
  return reply!
}
