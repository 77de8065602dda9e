/** Where several servers are nodes of one: no answer without what was acknowledged elsewhere, or it says so. */
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** For how many seconds an answer may be stale: the node cannot reach the database that tells what is new. */
export const STALE = 'parlance-stale'

/** A node that knows how fresh it is. */
export interface Freshness {
  /** Whether requests can be answered at once. */
  readonly isFresh: boolean
  /** Whether what it knows of rights still counts. */
  readonly mayRead: boolean
  /** How often they could not be for a while. */
  readonly lapses: number
  /** @returns for how many seconds answers may be stale; 0: they are not @throws Failure `unavailable` */
  admit(isRead: boolean): Promise<number>
}

/** How the nodes do. */
export interface NodesStatus {
  /** Whether the database did not answer last: nothing can be written. Known without a query. */
  readonly isAway: boolean
  status(): Promise<{
    engine: 'ok' | 'away'
    leaseAge: number | null
    isFresh: boolean
    lag: number
    nodes: { url: string; own: boolean; seen: number }[]
  }>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** See {@link Freshness.mayRead}; true for a server of its own. For what {@link watchOverReads} does not see. */
    mayRead(): boolean
  }
  interface FastifyRequest {
    /** {@link Freshness.lapses} when it was admitted. */
    lapses: number
  }
}

/** Adds the hook; to be the first that answers. What is of this server alone is told all the same. */
export function watchOverReads(app: FastifyInstance, node: Freshness): void {
  app.decorateRequest('lapses', 0)
  app.addHook('onRequest', (request, reply, done) => {
    request.lapses = node.lapses
    if (node.isFresh || isOfThisServer(request)) return done()
    node.admit(isRead(request)).then(seconds => {
      request.lapses = node.lapses
      if (seconds > 0) reply.header(STALE, String(seconds))
      done()
    }, done)
  })
  // The lease of one that was admitted as fresh may have ended since, and with it the wait for what it had heard of.
  app.addHook('onSend', (request, reply, _payload, done) => {
    const isSure = node.isFresh && request.lapses === node.lapses
    if (!isSure && !isOfThisServer(request) && !reply.hasHeader(STALE) && reply.statusCode < 400)
      if (isRead(request)) reply.header(STALE, LATE)
    done()
  })
}

/** Seconds: a lease lasts for two, and who waits for what another node wrote does so for five at most. */
const LATE = '8'

const OWN = ['/api/health', '/api/health/live', '/metrics']
const isOfThisServer = ({ url }: FastifyRequest) => OWN.includes(url.split('?')[0]!)

/** A clone is a read, too. */
const isRead = ({ method, url }: FastifyRequest) =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || url.endsWith('/git-upload-pack')
