/** Marks answers that may lack writes which another node acknowledged. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { STALE } from '../http/answers/node-status.ts'

/** A node that knows whether its lease is valid. */
export interface ReadGate {
  /** Whether requests can be answered at once. */
  readonly isFresh: boolean
  /** Number of times the lease was lost. */
  readonly leaseLosses: number
  /** @returns seconds for which answers may be stale, 0 for fresh ones @throws Failure `unavailable` */
  admit(isRead: boolean): Promise<number>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** {@link ReadGate.leaseLosses} when the request was admitted. */
    leaseLosses: number
  }
}

/** Adds the hooks, before any other hook that answers. Health and metrics describe this server alone: no mark. */
export function markStaleReads(app: FastifyInstance, node: ReadGate): void {
  app.decorateRequest('leaseLosses', 0)
  app.addHook('onRequest', (request, reply, done) => {
    request.leaseLosses = node.leaseLosses
    if (node.isFresh || isOfThisServer(request)) return done()
    node.admit(isRead(request)).then(seconds => {
      request.leaseLosses = node.leaseLosses
      if (seconds > 0) reply.header(STALE, String(seconds))
      done()
    }, done)
  })
  // The lease may have ended since the request was admitted as fresh.
  app.addHook('onSend', (request, reply, _payload, done) => {
    const isSure = node.isFresh && request.leaseLosses === node.leaseLosses
    if (!isSure && !isOfThisServer(request) && !reply.hasHeader(STALE) && reply.statusCode < 400)
      if (isRead(request)) reply.header(STALE, LATE)
    done()
  })
}

/** Seconds: a lease lasts for two, and a read waits for another node's write for five at most. */
const LATE = '8'

const OWN = ['/api/health', '/api/health/live', '/metrics']
const isOfThisServer = ({ url }: FastifyRequest) => OWN.includes(url.split('?')[0]!)

/** A clone is a read, too. */
const isRead = ({ method, url }: FastifyRequest) =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || url.endsWith('/git-upload-pack')
