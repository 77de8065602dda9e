/** When a client has left: what is still being made for it can stop. */
import type { FastifyReply } from 'fastify'
import { Failure } from '../bundle/errors.ts'

/** Aborted when the answer is through or the client has left. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  const leave = () => left.abort(new Failure('invalid', 'The client has left.'))
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  return left.signal
}
