/** Limits of connections: their number, and how long the server waits for slow or silent clients. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
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
  /** For the next request of a connection: over a minute, so that proxies close first. */
  nextRequest: 72_000,
  /** Of silence on a stream of events, before a comment that shows it is alive. */
  silence: 12_000,
  /** Between Node's checks of the first two. */
  check: 5_000,
  /** For a further request on an idle connection at closing, to answer with `connection: close`. */
  farewell: 1_000,
  /** For all such requests. */
  farewells: 2_000,
  /** For requests in flight at closing. With the farewells it is below Docker's ten seconds. */
  closing: 7_000,
}
export type ConnectionTimeouts = typeof CONNECTION_TIMEOUTS

/** An HTTP server with these limits that ignores `Expect`. Fastify creates one per address of a host. */
export function createHttpServer(handle: RequestListener, timeouts: ConnectionTimeouts): Server {
  const { headers, request, idle, nextRequest, check } = timeouts
  const options = { maxHeaderSize: 32_768, requireHostHeader: false, headersTimeout: headers }
  const server = createServer({ ...options, connectionsCheckingInterval: check }, handle)
  server.requestTimeout = request
  server.keepAliveTimeout = nextRequest
  server.setTimeout(idle)
  const cut = cutSilent(server)
  server.prependListener('request', (_, response) => void response.on('timeout', cut))
  // `ambiguity` bounds the number of headers, Node their length.
  server.maxHeadersCount = 0
  // Node would refuse unknown expectations without a body (RFC 9110 §10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** Cuts a connection that was silent for the idle time. A client that waits for an answer gets an error first. */
function cutSilent(server: Server) {
  return function (this: ServerResponse, socket: Socket): void {
    if (this.headersSent) return void socket.destroy()
    const code = this.req.complete ? 'ANSWER_TIMEOUT' : 'ERR_HTTP_REQUEST_TIMEOUT'
    server.emit('clientError', Object.assign(new Error(code), { code }), socket)
  }
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

/** The connections of all clients. Each needs a descriptor, as does the store: past the limit a new one is closed. */
export class Connections {
  readonly sockets = new Set<Socket>()
  /** Requests so far. */
  requests = 0
  /** Connections so far. */
  #accepted = 0
  readonly #servers = new Set<Server>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Counts the connections of a further server. */
  watch(server: Server): Server {
    this.#servers.add(server)
    server.on('connection', (socket: Socket) => this.#accept(socket))
    server.on('request', () => this.requests++)
    return server
  }

  /**
   * Stops listening and leaves open connections alone. The kernel resets connections that wait for `accept`, although
   * their request may be sent already. So it waits for an idle turn without a new connection.
   */
  async stopListening(): Promise<void> {
    await turn()
    const end = performance.now() + MAX_WAIT_MS
    for (let now = 0; now < end; ) {
      const [accepted, from] = [this.#accepted, performance.now()]
      await turn()
      now = performance.now()
      if (accepted === this.#accepted && now - from < QUIET_MS) break
    }
    // `close` of HTTP would cut idle connections, too.
    for (const server of this.#servers) Listener.prototype.close.call(server)
  }

  #accept(socket: Socket): void {
    this.#accepted++
    if (this.sockets.size >= this.#most) return void socket.destroy()
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
  }
}

/** The time between two looks at all connections. */
const LOOK_MS = 20

/**
 * Waits until all clients have read `connection: close`, or no client sends requests. A cut between two requests may
 * lose one on its way: its client could not know whether it was done. It counts looks and not time: a thread that was
 * busy for a second does not know that its clients were silent.
 */
export async function farewell(connections: Connections, timeouts: ConnectionTimeouts): Promise<void> {
  const [mostQuiet, most] = [timeouts.farewell / LOOK_MS, timeouts.farewells / LOOK_MS]
  let { requests } = connections
  for (let looks = 0, quiet = 0; looks < most && quiet < mostQuiet && connections.sockets.size > 0; looks++) {
    await pause(LOOK_MS)
    // Timers run before sockets are read.
    await turn()
    quiet = connections.requests === requests ? quiet + 1 : 0
    requests = connections.requests
  }
}
