/** How long the server waits for clients, so that slow or silent ones hold nothing for long. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { Server as Listener, type Socket } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** The server's defaults, in milliseconds. */
export const CONNECTION_TIMEOUTS = {
  /** For the request line and headers. */
  headers: 20_000,
  /** For the whole request: 8 MiB at 14 KB a second. */
  request: 600_000,
  /** For any byte in either direction while an answer is computed or read. Clones may wait for a turn. */
  idle: 300_000,
  /** For a connection's next request: over a minute, so that proxies close first. */
  nextRequest: 72_000,
  /** For silence on a stream of events, before a line that keeps it alive. */
  silence: 12_000,
  /** Between Node's checks of the first two. */
  check: 5_000,
  /** For one more request on an idle connection at closing, to tell it so. */
  farewell: 1_000,
  /** For all such requests. */
  farewells: 2_000,
  /** For requests in flight at closing: with the farewells under Docker's ten seconds. */
  closing: 7_000,
}
export type ConnectionTimeouts = typeof CONNECTION_TIMEOUTS

/** An HTTP server with these limits, which ignores `Expect`. Fastify makes one per address of a host. */
export function createHttpServer(handle: RequestListener, timeouts: ConnectionTimeouts): Server {
  const { headers, request, idle, nextRequest, check } = timeouts
  const options = { maxHeaderSize: 32_768, requireHostHeader: false, headersTimeout: headers }
  const server = createServer({ ...options, connectionsCheckingInterval: check }, handle)
  server.requestTimeout = request
  server.keepAliveTimeout = nextRequest
  server.setTimeout(idle)
  // `ambiguity` bounds the number of headers, Node their length.
  server.maxHeadersCount = 0
  // Node would refuse unknown expectations without a body (RFC 9110 §10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** Cuts connections that remain some time after closing began: Node's time limits end with `close`. */
export function cutAtClosing(app: FastifyInstance, { sockets }: Connections, timeouts: ConnectionTimeouts): void {
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const cutting = app.background.task({ name: 'cutting connections', run: cut })
  app.addHook('preClose', done => {
    cutting.in(timeouts.closing)
    app.server.once('close', () => cutting.cancel())
    done()
  })
}

/** The longest turn of the event loop that counts as idle. */
const QUIET_MS = 0.5
/** The longest wait for an idle turn. */
const MAX_WAIT_MS = 300

/** All clients' connections. Each takes a descriptor, and the store needs some: past the limit a new one is closed. */
export class Connections {
  readonly sockets = new Set<Socket>()
  /** Requests so far. */
  requests = 0
  /** Connections so far. */
  #taken = 0
  readonly #servers = new Set<Server>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Counts those of a server too. */
  watch(server: Server): Server {
    this.#servers.add(server)
    server.on('connection', (socket: Socket) => this.#take(socket))
    server.on('request', () => this.requests++)
    return server
  }

  /**
   * Takes no more of them, and leaves those that there are. The kernel resets whoever still waits to be taken, with the request
   * that was sent already: it is done right after a look in which nobody came, and nothing else took time.
   */
  async stopListening(): Promise<void> {
    await turn()
    const end = performance.now() + MAX_WAIT_MS
    for (let now = 0; now < end; ) {
      const [taken, from] = [this.#taken, performance.now()]
      await turn()
      now = performance.now()
      if (taken === this.#taken && now - from < QUIET_MS) break
    }
    // HTTP's own would cut idle connections, too.
    for (const server of this.#servers) Listener.prototype.close.call(server)
  }

  #take(socket: Socket): void {
    this.#taken++
    if (this.sockets.size >= this.#most) return void socket.destroy()
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
  }
}

/**
 * Waits until all clients are told that the server closes, or none asks any more. Cutting a connection between two
 * requests may lose one on its way, and its client could not tell what became of it.
 */
export async function farewell(connections: Connections, timeouts: ConnectionTimeouts): Promise<void> {
  let asked = performance.now()
  let { requests } = connections
  const end = asked + timeouts.farewells
  do {
    await pause(20)
    if (connections.requests !== requests) asked = performance.now()
    requests = connections.requests
  } while (performance.now() < Math.min(end, asked + timeouts.farewell) && connections.sockets.size > 0)
}
