/** When what a client holds is given back: once its answer is through, or it has left. No other file listens for that. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What is to be done at the end of a connection, whose answers may never begin: Node ends none of a pipeline's rest. */
const acts = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls `act` once, when the answer is through or its client has left: at once if that was before.
 * @returns what takes it back
 */
export function whenGone(response: ServerResponse, act: () => void): () => void {
  const { socket } = response.req
  const once = () => {
    forget()
    act()
  }
  const forget = () => {
    response.off('close', once)
    acts.get(socket)?.delete(once)
  }
  if (isGone(response)) act()
  else {
    response.on('close', once)
    actsOf(socket).add(once)
  }
  return forget
}

/** Whether the answer is through, or its client has left. */
export const isGone = (response: ServerResponse): boolean =>
  response.destroyed || response.closed || response.req.socket.destroyed

/** One listener for all answers of a connection: Node warns of more than ten. */
function actsOf(socket: Socket): Set<() => void> {
  const known = acts.get(socket)
  if (known) return known
  const all = new Set<() => void>()
  acts.set(socket, all)
  socket.once('close', () => {
    for (const act of all) act()
  })
  return all
}
