/** The description of the API: OpenAPI 3.1 made from the routes' own schemas and from better-auth's document, as JSON and to browse. */
import Fastify, { type FastifyInstance, type FastifyServerOptions, type RouteOptions } from 'fastify'
import type { Auth } from '../auth/auth.ts'
import { SESSION_COOKIE } from '../auth/mount.ts'
import { idOf, sendEntity } from './conditional.ts'
import { answerFailures } from './errors.ts'

type Json = Record<string, unknown>

const info = {
  title: 'Parlance',
  version: '0.1.0',
  description:
    'The place where an organization keeps the translations of its apps: i18next bundles over HTTP, every write a git ' +
    'commit. Every answer that is not a success is `{ "error": "<sentence>" }`. HEAD answers wherever GET does. Alpha: ' +
    'the surface may change before 1.0.',
}

const securitySchemes = {
  apiToken: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A token of the organization.' },
  basic: { type: 'http', scheme: 'basic', description: 'Any user name; the password is a token of the organization.' },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The setting METRICS_TOKEN of the server.' },
  session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'Set by signing in.' },
} as const

const DOCS = '/api/docs'

const contentPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'"

/**
 * The schemas of routes describe only: handlers check what they take themselves, in the order that the contract gives. The validator
 * hands nothing back: Fastify would take that for headers of its own and make a copy of them all at every look at `request.headers`.
 */
export const DESCRIBING = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => (value: unknown) => JSON.stringify(value),
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** The routes that are added to `app` from now on, as they come. */
export function watchRoutes(app: FastifyInstance): RouteOptions[] {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => {
    routes.push(route)
  })
  return routes
}

/** Adds `/api/openapi.json` and `/api/docs`, both open to everybody. @param routes what {@link watchRoutes} saw */
export function openapiRoutes(app: FastifyInstance, auth: Auth, routes: readonly RouteOptions[]): void {
  let made: ReturnType<typeof describe> | undefined
  // Made at the first request, with all that it takes: few ask, and a server that starts need not wait for it.
  const description = () => (made ??= describe(routes, auth))
  const hidden = { schema: { hide: true } }

  app.get('/api/openapi.json', hidden, async (request, reply) => {
    const { document } = await description()
    const bytes = Buffer.from(JSON.stringify(at('..', document)))
    reply.header('cache-control', 'no-cache')
    sendEntity(request, reply, idOf(bytes), () => bytes)
  })
  for (const path of [DOCS, `${DOCS}/*`]) {
    app.get(path, hidden, async (request, reply) => {
      const { pages } = await description()
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value) reply.raw.setHeader(name, value)
      reply.hijack()
      pages.routing(request.raw, reply.raw)
    })
  }
}

/** The whole document, and a server of its own for the pages that show it, which never listens. */
async function describe(
  routes: readonly RouteOptions[],
  auth: Auth,
): Promise<{ document: Json; pages: FastifyInstance }> {
  const [swagger, swaggerUi, { jsonSchemaTransform }, theirs] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
    import('fastify-type-provider-zod'),
    auth.openapi(),
  ])
  const pages = Fastify({ exposeHeadRoutes: true, schemaController: { compilersFactory: DESCRIBING } })
  answerFailures(pages)
  await pages.register(swagger.default, {
    openapi: { openapi: '3.1.0', info, components: { securitySchemes } },
    transform: jsonSchemaTransform,
  })
  let document: Json = {}
  await pages.register(swaggerUi.default, {
    routePrefix: DOCS,
    // The plugin's own policy turns every request into https, and a fresh server has none.
    staticCSP: contentPolicy,
    transformSpecification: () => at('../..', document),
    transformSpecificationClone: false,
  })
  await pages.register(async scope => {
    for (const { method, url, schema = {} } of routes) {
      if (method !== 'HEAD' && !('hide' in schema))
        scope.route({ method, url, schema, handler: () => {}, exposeHeadRoute: false })
    }
  })
  await pages.ready()
  document = merge(pages.swagger() as unknown as Json, theirs)
  return { document, pages }
}

/** The document with a server address relative to where the document itself is, so that it holds wherever the server is deployed. */
function at(url: string, document: Json): Json {
  return { ...document, servers: [{ url }] }
}

function merge(ours: Json, theirs: Json): Json {
  const paths: Json = { ...(ours.paths as Json) }
  for (const [path, operations] of Object.entries(theirs.paths as Json)) {
    paths[`/api/auth${path}`] = Object.fromEntries(
      Object.entries(operations as Json).map(([method, operation]) => [
        method,
        { ...(operation as Json), tags: ['Authentication'], security: [{}, { session: [] }] },
      ]),
    )
  }
  const components = ours.components as Json
  const schemas = { ...(components.schemas as Json), ...((theirs.components as Json).schemas as Json) }
  return withoutNullable({ ...ours, paths, components: { ...components, schemas } }) as Json
}

/** OpenAPI 3.1 is JSON Schema, which has no `nullable`; better-auth's document still does. */
function withoutNullable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullable)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutNullable(member)]),
  )
  if (typeof nullable !== 'boolean') return nullable === undefined ? rest : { ...rest, nullable }
  if (!nullable) return rest
  return 'type' in rest
    ? { ...rest, type: [...new Set([rest.type, 'null'].flat())] }
    : { anyOf: [rest, { type: 'null' }] }
}
