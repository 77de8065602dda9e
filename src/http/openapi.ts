/** The API's description, OpenAPI 3.1 from the routes' schemas, as JSON and as pages. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type FastifyServerOptions, type RouteOptions } from 'fastify'
import { SESSION_COOKIE } from '../auth/mount.ts'
import { sendJson } from './answers/conditional.ts'
import { answerFailures } from './answers/errors.ts'
import { buildWith } from './build.ts'
import { type Described, describeRoutes, type Json, type RouteSchema } from './description/api-document.ts'
import { authOperations } from './description/auth-operations.ts'
import { guideIn, guideLinks, sendGuide } from './description/guides.ts'
import { VERSION } from './version.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document of all routes, without `servers`. */
    openapi(): Json
  }
}

const info = {
  title: 'Parlance',
  version: VERSION,
  description:
    'The place where an organization stores the translations of its apps: i18next bundles over HTTP, every write a git ' +
    'commit.\n\nEvery answer that is not a success is `{ "error": "<sentence>" }`; under `/api/auth` it has `code` and ' +
    '`message` too. HEAD answers wherever GET does; another method of a path that exists is 405 with `Allow`, a path that ' +
    'does not exist 404. A request refused before routing answers 400, 408 (too slow), 414 (path too long) or 431 (headers ' +
    `too large).\n\nAlpha: the surface may change before 1.0.${guideLinks()}`,
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags = [
  { name: 'Projects', description: 'What an organization translates.' },
  { name: 'Bundles', description: 'The texts: one language of one namespace is one file in git.' },
  { name: 'Notes', description: 'What translators have to know about keys.' },
  { name: 'Comments', description: 'What people ask and answer about keys.' },
  { name: 'Suggestions', description: 'Texts that wait for a review.' },
  { name: 'Marks', description: 'Approvals and dismissed problems of translations.' },
  { name: 'Glossary', description: 'How terms are translated.' },
  { name: 'Status', description: 'What is translated, missing, stale or has problems.' },
  { name: 'Memory', description: 'How similar texts are translated.' },
  { name: 'Machines', description: 'Machine translators of this server, and what they suggest.' },
  { name: 'Agents', description: 'Tools for agents, by the Model Context Protocol.' },
  { name: 'History', description: 'Which commit changed what, and what two states differ in.' },
  { name: 'Events', description: 'Each commit as it becomes durable, as server-sent events.' },
  { name: 'Releases', description: 'Names for states that do not move.' },
  { name: 'Clone', description: "The organization's repository, over git's own protocol." },
  { name: 'Tokens', description: 'API tokens of the organization, by session only.' },
  { name: 'Inbox', description: 'What others did that concerns a member, by session only.' },
  { name: 'Rights', description: 'Which languages members write.' },
  { name: 'Audit', description: 'Who did what to accounts, members and tokens.' },
  { name: 'Authentication', description: 'Sign-in, sessions and the second factor.' },
  { name: 'Organizations', description: 'Organizations, their members and invitations.' },
  { name: 'Server', description: 'How the server does.' },
]

const securitySchemes = {
  apiToken: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A token of the organization.' },
  basic: { type: 'http', scheme: 'basic', description: 'Any user name; the password is a token of the organization.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of the organization.' },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The setting METRICS_TOKEN of the server.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'Set by signing in. Over https the name begins with `__Host-`.',
  },
} as const

const DOCS = '/api/docs'

const contentPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'"

/**
 * Route schemas only describe; handlers check, in the contract's order. A validator's result would pass for headers,
 * and Fastify copy them all at each look at `request.headers`.
 */
export const DESCRIBING = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => (value: unknown) => JSON.stringify(value),
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** Collects the routes added to `app` from now on. */
export function watchRoutes(app: FastifyInstance): RouteOptions[] {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => {
    routes.push(route)
  })
  return routes
}

/** Documents by routes: describing them costs 40 ms, and a test process starts hundreds of servers. */
const documents = new Map<string, Json>()

/**
 * Adds `/api/openapi.json` and `/api/docs`, open to everybody, each rendered at its first request.
 * @param routes what {@link watchRoutes} saw
 * @param oidc whether people may sign in by a provider
 * @returns a function that renders the document
 */
export function openapiRoutes(app: FastifyInstance, routes: readonly RouteOptions[], oidc: boolean): () => Json {
  const document = () => documentOf(routes, oidc)
  const hidden = { schema: { hide: true } }

  app.get('/api/openapi.json', hidden, (_request, reply) => {
    reply.header('cache-control', 'no-cache')
    sendJson(reply, at('..', document()))
  })
  let pages: Promise<FastifyInstance> | undefined
  for (const path of [DOCS, `${DOCS}/*`]) {
    app.get(path, hidden, async (request, reply) => {
      const guide = guideIn(request.url)
      if (guide !== undefined) return sendGuide(reply, guide)
      const { routing } = await (pages ??= pagesOf(at('../..', document())))
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value) reply.raw.setHeader(name, value)
      reply.hijack()
      routing(request.raw, reply.raw)
      return reply
    })
  }
  return document
}

function documentOf(routes: readonly RouteOptions[], oidc: boolean): Json {
  const name = [oidc, ...routes.map(({ method, url }) => `${method} ${url}`)].join('\n')
  const document = documents.get(name) ?? describe(routes, oidc)
  documents.set(name, document)
  return document
}

function describe(routes: readonly RouteOptions[], oidc: boolean): Json {
  const shown = routes.flatMap(({ method, url, schema = {} }): Described[] =>
    method === 'HEAD' || 'hide' in schema ? [] : [{ method: String(method), url, schema: schema as RouteSchema }],
  )
  const all = [...shown, ...authOperations(oidc)]
  const used = new Set(all.flatMap(({ schema }) => (schema.security ?? []).flatMap(Object.keys)))
  const schemes = Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.has(name)))
  const { paths, components } = describeRoutes(all)
  return { openapi: '3.1.0', info, tags, paths, components: { securitySchemes: schemes, ...components } }
}

/** The document with a server address relative to its own URL, valid anywhere. */
function at(url: string, document: Json): Json {
  return { ...document, servers: [{ url }] }
}

/** The dashboard's icon; the plugin's own without a build. */
async function logo() {
  const folder = buildWith('dashboard/icon.svg')
  const content = folder === undefined ? undefined : await readFile(join(folder, 'dashboard/icon.svg'))
  return content && { type: 'image/svg+xml', content }
}

/** The document's pages, from a server that never listens. */
async function pagesOf(document: Json): Promise<FastifyInstance> {
  const [swagger, swaggerUi] = await Promise.all([import('@fastify/swagger'), import('@fastify/swagger-ui')])
  const pages = Fastify({ exposeHeadRoutes: true, schemaController: { compilersFactory: DESCRIBING } })
  answerFailures(pages)
  // The plugin's one redirect is from `static/index.html`.
  pages.addHook('onSend', async (_request, reply) => {
    if (reply.hasHeader('location')) reply.header('location', '../')
  })
  await pages.register(swagger.default, { mode: 'static', specification: { document: document as never } })
  await pages.register(swaggerUi.default, {
    routePrefix: DOCS,
    // From `/api/docs`, which has no slash at its end, its files are found below any path that a proxy adds.
    indexPrefix: '..',
    theme: { title: 'Parlance: the API' },
    logo: await logo(),
    // The plugin's own policy would turn requests into https, which a fresh server lacks.
    staticCSP: contentPolicy,
  })
  return pages.ready() as unknown as Promise<FastifyInstance>
}
