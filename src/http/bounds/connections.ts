/** How long the server waits for clients, so that slow or silent ones hold nothing for long. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as Listener, type Socket } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { network } from '../../auth/rate-limit.ts'
import { SlowClients } from './slow-clients.ts'

/** The server's defaults, in milliseconds. */
export const PATIENCE = {
  /** For the request line and headers. */
  headers: 20_000,
  /** For the whole request: 8 MiB at 14 KB a second. */
  request: 600_000,
  /** For a client below the least rate, see {@link SlowClients}. */
  slow: 15_000,
  /** For any movement while an answer is made or read; clones may wait for a turn. */
  idle: 300_000,
  /** For a connection's next request: over a minute, so that proxies close first. */
  nextRequest: 72_000,
  /** For silence on a stream of events, before a line that keeps it alive. */
  silence: 12_000,
  /** Between checks of the first three. */
  look: 5_000,
  /** For one more request on an idle connection at closing, to tell it so. */
  farewell: 1_000,
  /** For all such requests. */
  farewells: 2_000,
  /** For requests in flight at closing: with the farewells under Docker's ten seconds. */
  closing: 7_000,
}
export type Patience = typeof PATIENCE

/** An HTTP server with these limits, which ignores `Expect`. Fastify makes one per address of a host. */
export function makeServer(handle: RequestListener, patience: Patience): Server {
  const { headers, request, idle, nextRequest, look } = patience
  const options = { maxHeaderSize: 32_768, requireHostHeader: false, headersTimeout: headers }
  const server = createServer({ ...options, connectionsCheckingInterval: look }, handle)
  server.requestTimeout = request
  server.keepAliveTimeout = nextRequest
  server.setTimeout(idle)
  // `ambiguity` bounds the number of headers, Node their length.
  server.maxHeadersCount = 0
  // Node would refuse unknown expectations without a body (RFC 9110 §10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/**
 * Cuts slow clients, see {@link SlowClients}, and those left some time after closing began: Node's time limits end
 * then, and a client could hold the server open for ever.
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

/** A connection's present or last answer. */
const ANSWER = Symbol('answer')
type Connection = Socket & { [ANSWER]?: ServerResponse }

/** A look in which nothing else took time. */
const QUIET_MS = 0.5
/** A server that is never at rest closes all the same. */
const LOOKING_MS = 300
/** Connections of an address checked for one to cut. The next check begins after them. */
const LOOKED_AT = 100

/** Answers without an end, whose clients go on where they were on another connection. */
const resumable = new WeakSet<ServerResponse>()
/** Says that an answer may be cut for another address when all connections are taken. */
export const markResumable = (response: ServerResponse): void => void resumable.add(response)

/**
 * All clients' connections: bounded, as each takes a descriptor and the store needs some. When all are taken, one of
 * the address with the most is cut for another address, so that nobody keeps everybody out.
 */
export class Connections {
  readonly sockets = new Set<Connection>()
  /** Requests so far. */
  requests = 0
  /** Connections so far. */
  #taken = 0
  readonly #servers = new Set<Server>()
  readonly #most: number
  readonly #byAddress = new Map<string, Set<Connection>>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts those of a server too. */
  watch(server: Server): Server {
    this.#servers.add(server)
    server.on('connection', (socket: Connection) => this.#take(socket))
    server.on('request', ({ socket }: { socket: Connection }, response) => {
      this.requests++
      socket[ANSWER] = response
    })
    return server
  }

  /**
   * Takes no more of them, and leaves those that there are. The kernel resets whoever still waits to be taken, with the request
   * that was sent already: it is done right after a look in which nobody came, and nothing else took time.
   */
  async stopListening(): Promise<void> {
    await turn()
    const end = performance.now() + LOOKING_MS
    for (let now = 0; now < end; ) {
      const [taken, from] = [this.#taken, performance.now()]
      await turn()
      now = performance.now()
      if (taken === this.#taken && now - from < QUIET_MS) break
    }
    // HTTP's own would cut idle connections, too.
    for (const server of this.#servers) Listener.prototype.close.call(server)
  }

  #take(socket: Connection): void {
    this.#taken++
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

  /** Cuts a connection of the address with the most. @param own those of the newcomer's address */
  #makeRoom(own: Set<Connection>): boolean {
    let [most, address] = [own, '']
    for (const [name, all] of this.#byAddress) if (all.size > most.size + 1) [most, address] = [all, name]
    if (most === own) return false
    const looked: Connection[] = []
    for (const socket of most) if (looked.push(socket) === LOOKED_AT) break
    const found = looked.find(isIdle) ?? looked.find(waitsForItsClient) ?? looked.find(isResumable)
    if (found === undefined) {
      for (const socket of looked) {
        most.delete(socket)
        most.add(socket)
      }
      return false
    }
    this.#forget(found, address)
    found.destroy()
    return true
  }
}

const isIdle = ({ [ANSWER]: answer }: Connection) => answer === undefined || answer.writableFinished

const isResumable = ({ [ANSWER]: answer }: Connection) => answer !== undefined && resumable.has(answer)

/** The client must send the rest of its request, or read the answer. */
const waitsForItsClient = ({ [ANSWER]: answer, writableLength }: Connection) =>
  answer !== undefined && (!answer.req.complete || writableLength > 0)

/**
 * Waits until all clients are told that the server closes, or none asks any more. Cutting a connection between two
 * requests may lose one on its way, and its client could not tell what became of it.
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
