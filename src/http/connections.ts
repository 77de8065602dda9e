/** How long the server waits for clients, so that one who sends or reads slowly, or not at all, holds nothing for long. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { network } from '../auth/rate-limit.ts'
import { SlowClients } from './slow-clients.ts'

/** In milliseconds. */
export interface Patience {
  /** For the request line and headers. */
  headers: number
  /** For the whole request: 8 MiB take ten minutes on a line of 14 KB a second. */
  request: number
  /** For a client that sends or reads less than the least rate, see {@link SlowClients}. */
  slow: number
  /** For anything to move while an answer is made or read: a clone may wait for its turn meanwhile. */
  idle: number
  /** For the next request on a connection: longer than the minute after which proxies drop theirs, so that it is they who close. */
  nextRequest: number
  /** How often the first three are looked at. */
  look: number
  /** For another request, once the server is to close and has nothing to do but to say so. */
  farewell: number
  /** For all such requests. */
  farewells: number
  /** For requests in flight when the server closes: with the farewells less than the ten seconds after which Docker kills. */
  closing: number
}

/** What the server starts with. */
export const PATIENCE: Patience = {
  headers: 20_000,
  request: 600_000,
  slow: 15_000,
  idle: 300_000,
  nextRequest: 72_000,
  look: 5_000,
  farewell: 1_000,
  farewells: 2_000,
  closing: 7_000,
}

/** An HTTP server that waits so long for its clients, and answers requests whatever they expect. Fastify makes one for each address of a host. */
export function makeServer(handle: RequestListener, patience: Patience): Server {
  const { headers, request, idle, nextRequest, look } = patience
  const options = { maxHeaderSize: 32_768, requireHostHeader: false, headersTimeout: headers }
  const server = createServer({ ...options, connectionsCheckingInterval: look }, handle)
  server.requestTimeout = request
  server.keepAliveTimeout = nextRequest
  server.setTimeout(idle)
  // All headers are to be seen: `ambiguity` bounds how many there may be, and Node how long they are together.
  server.maxHeadersCount = 0
  // What a client expects beyond what there is, is not worth the answer without a body that Node has for it (RFC 9110 §10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/**
 * Cuts who is too slow, see {@link SlowClients}, and those that are left when the server has been closing for a while: Node stops looking
 * at its time limits then, and a client in the middle of a request could hold it open for ever.
 */
export function boundConnections(app: FastifyInstance, { sockets }: Connections, patience: Patience): void {
  const slow = new SlowClients(sockets, patience)
  app.decorate('slowClients', slow)
  const looking = app.background.task({
    name: 'looking for slow clients',
    every: patience.look,
    run: () => slow.look(),
  })
  looking.in(patience.look)
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const cutting = app.background.task({ name: 'cutting connections', run: cut })
  app.addHook('preClose', done => {
    cutting.in(patience.closing)
    app.server.once('close', () => cutting.cancel())
    done()
  })
}

/** The answer that is under way on a connection, or was the last one. */
const ANSWER = Symbol('answer')
type Connection = Socket & { [ANSWER]?: ServerResponse }

/** So many of an address' connections are looked at for one that can be cut. */
const LOOKED_AT = 100

/**
 * The connections of all clients, of which there are at most so many. Each holds a descriptor, which the store needs too. When all are
 * taken, one of the address that has the most is cut for another address' first ones, so that nobody keeps everybody out.
 */
export class Connections {
  readonly sockets = new Set<Connection>()
  /** How many requests came so far. */
  requests = 0
  readonly #most: number
  readonly #byAddress = new Map<string, Set<Connection>>()

  constructor(most: number) {
    this.#most = most
  }

  /** Takes those of a server too. */
  watch(server: Server): Server {
    server.on('connection', (socket: Connection) => this.#take(socket))
    server.on('request', ({ socket }: { socket: Connection }, response) => {
      this.requests++
      socket[ANSWER] = response
    })
    return server
  }

  #take(socket: Connection): void {
    const address = network(socket.remoteAddress ?? '')
    const own = this.#byAddress.get(address) ?? new Set()
    if (this.sockets.size >= this.#most && !this.#makeRoom(own)) return void socket.destroy()
    this.sockets.add(socket)
    this.#byAddress.set(address, own.add(socket))
    socket.once('close', () => this.#forget(socket, address))
  }

  #forget(socket: Connection, address: string): void {
    this.sockets.delete(socket)
    const all = this.#byAddress.get(address)
    all?.delete(socket)
    if (all?.size === 0) this.#byAddress.delete(address)
  }

  /** Cuts a connection of the address that has the most. @param own those of the address that has another one now */
  #makeRoom(own: ReadonlySet<Connection>): boolean {
    let [most, address] = [own, '']
    for (const [name, all] of this.#byAddress) if (all.size > most.size + 1) [most, address] = [all, name]
    if (most === own) return false
    let looked = 0
    let found: Connection | undefined
    for (const socket of most) {
      if (isIdle(socket)) found = socket
      else if (waitsForItsClient(socket)) found ??= socket
      if (isIdle(socket) || ++looked === LOOKED_AT) break
    }
    if (found === undefined) return false
    this.#forget(found, address)
    found.destroy()
    return true
  }
}

/** Nothing was asked yet, or everything is answered. */
const isIdle = ({ [ANSWER]: answer }: Connection) => answer === undefined || answer.writableFinished

/** The rest of the request, or that the answer is read, is the client's to do. */
const waitsForItsClient = ({ [ANSWER]: answer, writableLength }: Connection) =>
  answer !== undefined && (!answer.req.complete || writableLength > 0)

/**
 * Waits until no client is connected any more, each having been answered that the server closes, or until none asks any more. A
 * connection that is cut between two requests may be cut under one that is on its way, and its client could not tell what became of it.
 */
export async function farewell(connections: Connections, patience: Patience): Promise<void> {
  let asked = performance.now()
  let { requests } = connections
  const end = asked + patience.farewells
  do {
    await pause(20)
    if (connections.requests !== requests) asked = performance.now()
    requests = connections.requests
  } while (performance.now() < Math.min(end, asked + patience.farewell) && connections.sockets.size > 0)
}
