/** One log line per request, of the route and never of the URL: keys and names are the caller's business, and credentials nobody's. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Config } from '../config.ts'

type OnResponse = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/** The hook that writes the lines. @param which as in Config */
export function logRequests(which: Config['logRequests']): OnResponse {
  return (request, reply, done) => {
    const { method } = request
    const failed = reply.statusCode >= 400
    const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
    if (which === 'all' || (failed && which !== 'none') || (!reads && which === 'writes')) {
      const line = {
        reqId: request.id,
        method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        caller: request.caller?.kind ?? null,
      }
      request.log[reply.statusCode >= 500 ? 'error' : 'info'](line, 'request')
    }
    done()
  }
}
