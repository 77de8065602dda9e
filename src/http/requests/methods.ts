/** Methods that a path lacks: OPTIONS lists the present ones, the others get 405 (RFC 9110 §15.5.6). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../bundle/errors.ts'
import { nothingHere, sendError } from '../answers/errors.ts'
import { isRead } from './caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The route of a path that lacks the method. */
    unmatchedRoute: string | null
  }
}

/** The pattern of a request's path, also where the path lacks the method. */
export const routeOf = (request: FastifyRequest): string | null =>
  request.routeOptions.url ?? request.unmatchedRoute ?? null

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The methods of each path. */
export class PathMethods {
  readonly #paths = new Map<string, { form: RegExp; present: Set<string> }>()

  /** Collects the routes added to `scope` from now on. */
  watch(scope: FastifyInstance): void {
    scope.addHook('onRoute', ({ url, method }) => {
      const path = this.#paths.get(url) ?? { form: formOf(url), present: new Set() }
      for (const name of [method].flat()) path.present.add(name)
      this.#paths.set(url, path)
    })
  }

  /**
   * Answers a request without a route, also one of a method unknown to Fastify.
   * @param options answers OPTIONS
   * @throws Failure `not-found` for an unknown path
   */
  answer(reply: FastifyReply, options: (reply: FastifyReply, methods: string) => void): void {
    const { method, url } = reply.request
    const path = decoded(url.split('?', 1)[0]!)
    const [route, found] = [...this.#paths].find(([, { form }]) => form.test(path)) ?? []
    if (found === undefined) throw nothingHere(url)
    // It ends in an empty name. A preflight says so, too, after which the browser shows the answer itself.
    if (method !== 'OPTIONS' && path.length > 1 && path.endsWith('/'))
      throw isRead(reply.request) ? emptyName(reply.request) : nothingHere(url)
    reply.request.unmatchedRoute = route!
    const methods = METHODS.filter(name => found.present.has(name)).join(', ')
    reply.header('allow', methods)
    if (method === 'OPTIONS') options(reply, methods)
    else sendError(reply, 405, `This path accepts ${methods}, not ${method}.`)
  }
}

/** A path as the router compares it with routes: an encoded slash in a name stays encoded. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** A route's path as a pattern of the paths in requests. */
const formOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?]/g, '\\$&')
      .replace('*', '.*')
      .replace(/:[^/.]+/g, '[^/]*')}$`,
  )

/** The fault of a read with an empty name at the end of its path. Routes refuse such writes themselves. */
export function slashFault(request: FastifyRequest): Failure | undefined {
  const isEmpty = Object.entries(Object(request.params)).some(([name, value]) => name !== '*' && value === '')
  return isEmpty && isRead(request) && /\/(\?|$)/.test(request.url) ? emptyName(request) : undefined
}

const emptyName = ({ url }: FastifyRequest) => new Failure('invalid', nothingHere(url).message)
