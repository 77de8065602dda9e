/**
 * The simplest load balancer there can be: each request goes to the next node, and to the one after it when that is not
 * there.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'

/** @param targets addresses of nodes, `http://host:port` */
export function balance(targets: readonly string[]): Server {
  let turn = 0
  return createServer((incoming, outgoing) => {
    const from = turn++
    pass(
      incoming,
      outgoing,
      targets.map((_, at) => targets[(from + at) % targets.length]!),
    )
  })
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, [target, ...others]: string[]): void {
  if (target === undefined) return void outgoing.writeHead(502).end('No node answers.\n')
  const { method, url, headers } = incoming
  const onward = request(target + url, { method, headers })
  onward.on('response', answer => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders)
    answer.pipe(outgoing)
    answer.on('error', () => outgoing.destroy())
  })
  onward.on('error', error => {
    // Nothing of the request has been read by a node that refused the connection.
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') pass(incoming, outgoing, others)
    else outgoing.destroy()
  })
  outgoing.on('close', () => onward.destroy())
  onward.on('socket', socket => {
    if (socket.connecting) socket.once('connect', () => incoming.pipe(onward))
    else incoming.pipe(onward)
  })
}
