/** How long the server waits for clients, so that one who sends or reads slowly, or not at all, holds nothing for long. */
import type { FastifyInstance } from 'fastify'

/** In milliseconds. */
export interface Patience {
  /** For the request line and headers. */
  headers: number
  /** For the whole request: 8 MiB take a minute on a line of a megabit a second. */
  request: number
  /** For anything to move while an answer is made or read: a clone may wait for its turn meanwhile. */
  idle: number
  /** For the next request on a connection: longer than the minute after which proxies drop theirs, so that it is they who close. */
  nextRequest: number
  /** How often the first two are looked at. */
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
  request: 120_000,
  idle: 300_000,
  nextRequest: 72_000,
  look: 5_000,
  farewell: 1_000,
  farewells: 2_000,
  closing: 7_000,
}

/** The options of Fastify's server. */
export function connectionOptions({ headers, request, idle, nextRequest, look }: Patience) {
  return {
    http: {
      maxHeaderSize: 32_768,
      requireHostHeader: false,
      headersTimeout: headers,
      connectionsCheckingInterval: look,
    },
    requestTimeout: request,
    connectionTimeout: idle,
    keepAliveTimeout: nextRequest,
  }
}

/**
 * Answers requests whatever they expect; takes `most` connections and no more, since each holds a descriptor, which the store
 * needs too; and cuts those that are left when the server has been closing for a while: Node stops looking at its time limits
 * then, and a client in the middle of a request could hold it open for ever.
 */
export function boundConnections(app: FastifyInstance, most: number, { closing }: Patience): void {
  app.server.maxConnections = most
  // What a client expects beyond what there is, is not worth the answer without a body that Node has for it (RFC 9110 §10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('preClose', done => {
    const cut = setTimeout(() => app.server.closeAllConnections(), closing).unref()
    app.server.once('close', () => clearTimeout(cut))
    done()
  })
}

/**
 * Waits until no client is connected any more, each having been answered that the server closes, or until none asks any more. A
 * connection that is cut between two requests may be cut under one that is on its way, and its client could not tell what became of it.
 */
export async function farewell(app: FastifyInstance, patience: Patience): Promise<void> {
  let asked = performance.now()
  const hear = () => {
    asked = performance.now()
  }
  app.server.on('request', hear)
  const connected = () => new Promise<number>(resolve => app.server.getConnections((_error, count) => resolve(count)))
  const end = asked + patience.farewells
  do {
    await new Promise(resolve => setTimeout(resolve, 20))
  } while (performance.now() < Math.min(end, asked + patience.farewell) && (await connected()) > 0)
  app.server.off('request', hear)
}
