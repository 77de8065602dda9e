/** Stops work for clients that have left. */
import type { FastifyReply } from 'fastify'
import { Failure } from '../bundle/errors.ts'
import type { Turns } from '../store/git/turns.ts'

/** Aborted when the answer is through or the client has left. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  const leave = () => left.abort(new Failure('invalid', 'The client has left.'))
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  return left.signal
}

/**
 * Runs `use` in its turn, see {@link Turns}. @throws Failure `unavailable` when too many wait, the reason of `left`
 * @param what so many of which are waiting
 */
export async function inTurn<T>(
  turns: Turns,
  reply: FastifyReply,
  what: string,
  use: (left: AbortSignal) => Promise<T>,
): Promise<T> {
  const left = clientGone(reply)
  const done = await turns.take(left)
  if (!done) throw new Failure('unavailable', `Too many ${what} are waiting; try again.`, { retryAfter: 2 })
  try {
    return await use(left)
  } finally {
    done()
  }
}
