/** The description of the API: OpenAPI 3.1 made from the routes' own schemas and from better-auth's document, as JSON and to browse. */
import { createHash } from 'node:crypto'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import type { Auth } from '../auth/auth.ts'
import { sendEntity } from './conditional.ts'

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
  session: { type: 'apiKey', in: 'cookie', name: 'parlance.session_token', description: 'Set by signing in.' },
} as const

const contentPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'"

/** Watches the routes added from now on; call it before them. */
export async function describeRoutes(app: FastifyInstance): Promise<void> {
  // The schemas describe only: handlers check what they take themselves, in the order that the contract gives.
  app.setValidatorCompiler(() => value => ({ value }))
  app.setSerializerCompiler(() => value => JSON.stringify(value))
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info, components: { securitySchemes } },
    transform: jsonSchemaTransform,
  })
}

/** Adds `/api/openapi.json` and `/api/docs`, both open to everybody. */
export async function openapiRoutes(app: FastifyInstance, auth: Auth): Promise<void> {
  let made: Promise<Json> | undefined
  // Made at the first request: better-auth's part takes a while to load, and few ask.
  const document = () => (made ??= auth.openapi().then(theirs => merge(app.swagger() as unknown as Json, theirs)))

  app.get('/api/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    const bytes = Buffer.from(JSON.stringify(at('..', await document())))
    reply.header('cache-control', 'no-cache')
    sendEntity(request, reply, createHash('sha1').update(bytes).digest('hex'), () => bytes)
  })
  await app.register(async scope => {
    // The page asks for its document synchronously, so it has to be there before.
    let ready: Json = {}
    scope.addHook('preHandler', async () => {
      ready = await document()
    })
    await scope.register(swaggerUi, {
      routePrefix: '/api/docs',
      // The plugin's own policy turns every request into https, and a fresh server has none.
      staticCSP: contentPolicy,
      transformSpecification: () => at('../..', ready),
      transformSpecificationClone: false,
    })
  })
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
