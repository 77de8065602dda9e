/** Methods without a route: OPTIONS lists a path's methods, others get 405 (RFC 9110 §15.5.6). */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { Failure } from '../../bundle/errors.ts'
import { nothingHere, sendError } from '../answers/errors.ts'
import { isRead } from './caller.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** What requests look like that are for one path, and its methods. */
export interface PathMethods {
  form: RegExp
  allowed: string[]
}

/**
 * Watches routes added to `scope` from now on; the function returned answers their paths' other methods.
 * @param options answers OPTIONS
 * @param known receives the paths, for {@link refuseUnknown}
 */
export function otherMethods(
  scope: FastifyInstance,
  options: (reply: FastifyReply, methods: string[]) => FastifyReply,
  known: PathMethods[],
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
      known.push({ form: formOf(url), allowed })
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
          refuse(reply, allowed)
        },
      })
    }
  }
}

function refuse(reply: FastifyReply, allowed: string[]): void {
  const methods = allowed.join(', ')
  reply.header('allow', methods)
  sendError(reply, 405, `This path accepts ${methods}, not ${reply.request.method}.`)
}

/** A route's path as a pattern of the paths in requests. */
const formOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?]/g, '\\$&')
      .replace(/:[^/.]+/g, '[^/]+')
      .replace('*', '.*')}$`,
  )

/**
 * A hook for methods unknown to Fastify, such as PROPFIND or TRACE. It answers 405 if the path accepts other methods.
 * @param unknown called before the answer
 */
export function refuseUnknown(known: readonly PathMethods[], unknown: (reply: FastifyReply) => void) {
  return (request: FastifyRequest, reply: FastifyReply, done: (fault?: Failure) => void): void => {
    const { method, url } = request
    if (method === 'OPTIONS' || METHODS.includes(method as HTTPMethods)) {
      done()
      return
    }
    unknown(reply)
    const path = url.split('?', 1)[0]!
    const found = known.find(({ form }) => form.test(path))
    if (found === undefined) done(nothingHere(url))
    else refuse(reply, found.allowed)
  }
}

/** Lists the methods. Without CORS headers, pages of other origins stay excluded. */
export function tellMethods(reply: FastifyReply, methods: string[]): FastifyReply {
  return reply.header('allow', methods.join(', ')).code(204).send()
}

/** The fault of a read with a slash at the end of its path: an empty name. Routes refuse writes themselves. */
export function slashFault(request: FastifyRequest): Failure | undefined {
  return isRead(request) && endsEmpty(request) ? new Failure('invalid', nothingHere(request.url).message) : undefined
}

const endsEmpty = ({ url, params }: FastifyRequest) =>
  /\/(\?|$)/.test(url) && Object.entries(Object(params)).some(([name, value]) => name !== '*' && value === '')
