/** Stops work for clients that have left. */
import type { FastifyReply } from 'fastify'
import { busy } from '../../bundle/errors.ts'
import { FairSlots } from '../../scheduling/fair-slots.ts'
import { claimantOf, clientLeft } from '../bounds/body-memory.ts'
import { whenGone } from '../bounds/when-gone.ts'

/** Aborted when the answer is through or the client has left. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  whenGone(raw, () => left.abort(clientLeft()))
  return left.signal
}

/** Diffs and restores hold all the texts they compare. */
const AT_ONCE = 2
const WAITING = 50

/** Runs a piece of work in its turn. @throws Failure `unavailable` when too many wait, the reason of `left` */
type InTurn = <T>(reply: FastifyReply, use: (left: AbortSignal) => Promise<T>) => Promise<T>

/** Lets a few at a time act, see {@link FairSlots}. @param what names the waiting work in the failure */
export function inTurns(what: string): InTurn {
  const slots = new FairSlots(AT_ONCE, WAITING)
  return (reply, use) => {
    const left = clientGone(reply)
    return slots.inTurn(
      left,
      () => busy(`Too many ${what} are waiting; try again.`, 2),
      () => use(left),
      { claimant: claimantOf(reply.request) },
    )
  }
}
