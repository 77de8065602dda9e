/** Methods without a route: OPTIONS lists a path's methods, others get 405 (RFC 9110 §15.5.6). */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { Failure } from '../../bundle/errors.ts'
import { nothingHere, sendError } from '../answers/errors.ts'
import { isRead } from './caller.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Watches routes added to `scope` from now on; the function returned answers their paths' other methods.
 * @param options answers OPTIONS
 */
export function otherMethods(
  scope: FastifyInstance,
  options: (reply: FastifyReply, methods: string[]) => FastifyReply,
): () => void {
  const paths = new Map<string, Set<string>>()
  const note = ({ url, method }: RouteOptions) => {
    const methods = paths.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    paths.set(url, methods)
  }
  scope.addHook('onRoute', note)
  return () => {
    for (const [url, present] of [...paths]) {
      const allowed = METHODS.filter(method => present.has(method))
      scope.route({
        method: 'OPTIONS',
        url,
        schema: { hide: true },
        handler: (_request, reply) => options(reply, allowed),
      })
      scope.route({
        method: METHODS.filter(method => !present.has(method)),
        url,
        schema: { hide: true },
        handler: (request, reply) => {
          // The path without the slash has other methods.
          if (endsEmpty(request)) throw nothingHere(request.url)
          reply.header('allow', allowed.join(', '))
          sendError(reply, 405, `This path takes ${allowed.join(', ')}, not ${request.method}.`)
        },
      })
    }
  }
}

/** Lists the methods, and says nothing of other origins, which keeps their pages out. */
export function tellMethods(reply: FastifyReply, methods: string[]): FastifyReply {
  return reply.header('allow', methods.join(', ')).code(204).send()
}

/** The fault of a read whose path ends with a slash: an empty name. Writes are refused by their route. */
export function slashFault(request: FastifyRequest): Failure | undefined {
  return isRead(request) && endsEmpty(request) ? new Failure('invalid', nothingHere(request.url).message) : undefined
}

const endsEmpty = ({ url, params }: FastifyRequest) =>
  /\/(\?|$)/.test(url) && Object.entries(Object(params)).some(([name, value]) => name !== '*' && value === '')
