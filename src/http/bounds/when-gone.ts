/**
 * Runs a function when a request is over: after its answer, or when its client leaves. No other file listens for that.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The functions for the end of a connection. Node closes no pipelined answer that has not begun. */
const acts = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls `act` once, when the answer is complete or its client has left: at once if the request is over.
 * @returns the function that cancels it
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

/** Whether the answer is complete, or its client has left. */
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
