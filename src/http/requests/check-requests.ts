/**
 * Checks each request by what its route declares: its names, the right, the flags of a write, and a JSON body. A
 * handler of such a route finds them checked in `params`, `query` and `body`.
 */
import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify'
import { z } from 'zod'
import type { Permission } from '../../auth/access.ts'
import { checkKey, checkLanguage, checkNamespace, checkSlug } from '../../bundle/names.ts'
import { readJson, refuseEmpty } from './body.ts'
import { isRead, requireCaller } from './caller.ts'
import { checkShape } from './check-shape.ts'
import { readFlags } from './query.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The right that the route needs. Routes without one check everything themselves. */
    permission?: Permission
    /** The handler reads the body itself: it may be large. */
    readsBody?: true
  }
}

const NAMES = { slug: checkSlug, language: checkLanguage, namespace: checkNamespace, key: checkKey }

/**
 * Checks the requests of routes added to `app` from now on, in the order of the contract: names, right, flags, body. A
 * body stays unread until then. Fastify's own parser would also refuse honest `__proto__` members.
 */
export function checkRequests(app: FastifyInstance): void {
  app.addHook('onRoute', route => {
    const { permission } = route.config ?? {}
    if (permission === undefined) return
    const flags = Object.keys(flagsOf(route))
    const shape = bodyOf(route)
    const check = (request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction) => {
      for (const [name, value] of Object.entries(request.params as object)) NAMES[name as keyof typeof NAMES]?.(value)
      requireCaller(request, permission)
      if (!isRead(request)) request.query = readFlags(request, flags)
      if (shape) refuseEmpty(request)
      done()
    }
    route.onRequest = [...[route.onRequest ?? []].flat(), check]
    if (shape === undefined) return
    // The limit is Fastify's `bodyLimit` of the route, by default of the server.
    const read = async (request: FastifyRequest) => {
      request.body = checkShape(shape, await readJson(request, request.routeOptions.bodyLimit))
    }
    route.preHandler = [...[route.preHandler ?? []].flat(), read]
  })
  app.removeAllContentTypeParsers()
  // Not in a parser: Fastify closes the connection after a parser's failure.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

const flagsOf = ({ schema }: RouteOptions): object =>
  schema?.querystring instanceof z.ZodObject ? schema.querystring.shape : {}

/** The shape of a body that is read before the handler. */
const bodyOf = ({ config, schema }: RouteOptions): z.ZodType | undefined =>
  !config?.readsBody && schema?.body instanceof z.ZodType ? schema.body : undefined
