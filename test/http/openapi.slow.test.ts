import { createConfig, lintFromString } from '@redocly/openapi-core'
import t from 'tap'
import { ROUTES } from '../../src/auth/routes.ts'
import { authOperations } from '../../src/http/description/auth-operations.ts'
import { GUIDES } from '../../src/http/description/guides.ts'
import { eventually } from '../contract/server.ts'
import { type ApiDocument, Description } from '../described.ts'
import { isError, openScene, type Scene, startServer } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  security?: unknown
  parameters?: {
    name: string
    in: string
    required?: boolean
    description?: string
    schema: object
    example?: unknown
  }[]
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object; example?: unknown }> }>
  tags?: string[]
}
type Document = ApiDocument & {
  openapi: string
  info: { description: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

const documentOf = async ({ server }: Pick<Scene, 'server'>): Promise<Document> =>
  (await server.get('/api/openapi.json')).json

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
  )
}

t.test('every operation has a summary, a description and a tag that the document explains', async t => {
  const document = await documentOf(scene)
  const tags = (document as unknown as { tags: { name: string; description?: string }[] }).tags
  const explained = tags.filter(({ description }) => description).map(({ name }) => name)
  const withProvider = authOperations(true).map(({ method, url, schema }) => ({ ...schema, name: `${method} ${url}` }))
  for (const { name, summary, description, tags = [] } of [...operationsOf(document), ...withProvider]) {
    t.ok(summary, `${name} has a summary`)
    t.ok(description && description !== summary, `${name} has a description`)
    t.ok(tags.length > 0 && tags.every(tag => explained.includes(tag)), `${name} has a tag`)
  }
})

t.test('serves an OpenAPI 3.1 document to everyone, with an entity tag', async t => {
  const { server } = scene
  const reply = await server.get('/api/openapi.json')
  t.equal(reply.status, 200)
  const document: Document = reply.json
  t.match(document.openapi, /^3\.1\./)
  t.notMatch(reply.text, /127\.0\.0\.1|localhost/, 'it contains no address of the server')
  t.equal(new URL(document.servers[0]!.url, `${server.base}/api/openapi.json`).pathname, '/')
  const again = await server.get('/api/openapi.json', undefined, { 'if-none-match': String(reply.headers.etag) })
  t.equal(again.status, 304)
  const packed = (more = {}) => server.get('/api/openapi.json', undefined, { 'accept-encoding': 'gzip', ...more })
  t.ok(await eventually(async () => (await packed()).headers['content-encoding'] === 'gzip'))
  const { etag, vary } = (await packed()).headers
  t.match(await packed({ 'if-none-match': etag }), { status: 304, headers: { vary } })
})

t.test('passes a linter under every setting of the server', async t => {
  const oidc = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'parlance', OIDC_CLIENT_SECRET: 'secret' }
  const more = { BASE_URL: 'https://parlance.example.com', METRICS_TOKEN: 'a-token-for-the-metrics' }
  const full = await startServer(t, { env: { ...oidc, ...more } })
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'operation-4xx-response': 'error' } })
  for (const server of [scene.server, full]) {
    const source = (await server.get('/api/openapi.json')).text
    const found = await lintFromString({ source, absoluteRef: '/openapi.json', config })
    t.strictSame(
      found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
      [],
    )
    t.notMatch(source, /"nullable"|additionalProp1|9007199254740991/)
  }
})

t.test('describes name, purpose, rights and answers of every route', async t => {
  const document = await documentOf(scene)
  const operations = operationsOf(document)
  t.strictSame(
    operations
      .filter(({ name }) => !name.includes('/api/auth/'))
      .map(({ name }) => name)
      .sort(),
    [
      'DELETE /api/projects/{slug}',
      'DELETE /api/projects/{slug}/bundles/{language}',
      'DELETE /api/projects/{slug}/bundles/{language}/{namespace}',
      'DELETE /api/projects/{slug}/bundles/{language}/{namespace}/{key}',
      'DELETE /api/projects/{slug}/comments/{namespace}/{key}/{id}',
      'DELETE /api/projects/{slug}/jobs/{id}',
      'DELETE /api/projects/{slug}/notes/{namespace}/{key}',
      'DELETE /api/projects/{slug}/releases/{name}',
      'DELETE /api/tokens/{id}',
      'GET /agents.md',
      'GET /api/audit',
      'GET /api/events',
      'GET /api/glossary',
      'GET /api/glossary.csv',
      'GET /api/glossary.tbx',
      'GET /api/health',
      'GET /api/health/live',
      'GET /api/inbox',
      'GET /api/inbox.atom',
      'GET /api/inbox/feed',
      'GET /api/inbox/settings',
      'GET /api/machines',
      'GET /api/memory',
      'GET /api/projects',
      'GET /api/projects/{slug}',
      'GET /api/projects/{slug}/bundles/{language}',
      'GET /api/projects/{slug}/bundles/{language}/{namespace}',
      'GET /api/projects/{slug}/bundles/{language}/{namespace}/{key}',
      'GET /api/projects/{slug}/comments/{namespace}',
      'GET /api/projects/{slug}/comments/{namespace}/{key}',
      'GET /api/projects/{slug}/context/{language}/{namespace}/{key}',
      'GET /api/projects/{slug}/diff',
      'GET /api/projects/{slug}/events',
      'GET /api/projects/{slug}/export',
      'GET /api/projects/{slug}/glossary',
      'GET /api/projects/{slug}/glossary.csv',
      'GET /api/projects/{slug}/glossary.tbx',
      'GET /api/projects/{slug}/history',
      'GET /api/projects/{slug}/jobs',
      'GET /api/projects/{slug}/jobs/{id}',
      'GET /api/projects/{slug}/memory.tmx',
      'GET /api/projects/{slug}/notes/{namespace}',
      'GET /api/projects/{slug}/notes/{namespace}/{key}',
      'GET /api/projects/{slug}/refusals',
      'GET /api/projects/{slug}/releases',
      'GET /api/projects/{slug}/releases/{name}',
      'GET /api/projects/{slug}/status',
      'GET /api/projects/{slug}/status/keys',
      'GET /api/projects/{slug}/suggestions',
      'GET /api/projects/{slug}/types.d.ts',
      'GET /api/sign-in',
      'GET /api/tokens',
      'GET /api/translations.git/info/refs',
      'GET /api/whoami',
      'GET /cli',
      'GET /cli/parlance.config.schema.json',
      'GET /metrics',
      'PATCH /api/projects/{slug}',
      'PATCH /api/projects/{slug}/comments/{namespace}/{key}/{id}',
      'POST /api/inbox/feed',
      'POST /api/inbox/read',
      'POST /api/mcp',
      'POST /api/projects',
      'POST /api/projects/{slug}/approve',
      'POST /api/projects/{slug}/bundles/{language}/{namespace}',
      'POST /api/projects/{slug}/changes',
      'POST /api/projects/{slug}/comments/{namespace}/{key}',
      'POST /api/projects/{slug}/confirm',
      'POST /api/projects/{slug}/delete-key',
      'POST /api/projects/{slug}/dismiss',
      'POST /api/projects/{slug}/push',
      'POST /api/projects/{slug}/releases',
      'POST /api/projects/{slug}/rename-key',
      'POST /api/projects/{slug}/rename-language',
      'POST /api/projects/{slug}/rename-namespace',
      'POST /api/projects/{slug}/restore',
      'POST /api/projects/{slug}/revert',
      'POST /api/projects/{slug}/suggest',
      'POST /api/projects/{slug}/suggestions/accept',
      'POST /api/projects/{slug}/suggestions/reject',
      'POST /api/projects/{slug}/suggestions/{language}/{namespace}/{key}',
      'POST /api/projects/{slug}/translate',
      'POST /api/projects/{slug}/unapprove',
      'POST /api/tokens',
      'POST /api/translations.git/git-upload-pack',
      'PUT /api/glossary',
      'PUT /api/glossary.csv',
      'PUT /api/glossary.tbx',
      'PUT /api/inbox/settings',
      'PUT /api/members/{id}/rights',
      'PUT /api/projects/{slug}/bundles/{language}/{namespace}',
      'PUT /api/projects/{slug}/bundles/{language}/{namespace}/{key}',
      'PUT /api/projects/{slug}/glossary',
      'PUT /api/projects/{slug}/glossary.csv',
      'PUT /api/projects/{slug}/glossary.tbx',
      'PUT /api/projects/{slug}/notes/{namespace}/{key}',
    ],
  )
  for (const { name, operationId, summary, security, responses, tags, parameters = [] } of operations) {
    t.match(operationId, /^[a-z]+(?:[A-Z][a-z]+)*$/, `${name}: a function of a generated client has this name`)
    t.ok(summary, name)
    t.ok(Array.isArray(security), name)
    t.equal(tags?.length, 1, name)
    for (const parameter of parameters) t.ok(parameter.description, `${name} ${parameter.name}`)
    if (!/health|metrics$|sign-in$|inbox\.atom$|^GET \/(cli|agents)/.test(name))
      for (const status of ['401', '403']) t.ok(responses[status], `${name} ${status}`)
  }
  const put = operations.find(({ operationId }) => operationId === 'putKey')!
  const statuses = [
    '200',
    '202',
    '400',
    '401',
    '403',
    '404',
    '409',
    '412',
    '413',
    '415',
    '422',
    '429',
    '500',
    '503',
    '507',
  ]
  t.strictSame(Object.keys(put.responses), statuses)
})

t.test('describes exactly the reachable routes under /api/auth', async t => {
  const described = operationsOf(await documentOf(scene))
    .map(({ name }) => name)
    .filter(name => name.includes(' /api/auth/'))
  const reachable = Object.entries(ROUTES)
    .filter(([, { limit }]) => limit !== 'oidc')
    .map(([route]) => route.replace(' ', ' /api/auth'))
  t.strictSame(described.sort(), reachable.sort())
})

t.test('describes the body that each route under /api/auth accepts', async t => {
  const { paths, components } = await documentOf(scene)
  type Shape = { properties?: object; required?: string[]; $ref?: string }
  const membersOf = (shape: Shape = {}): string[] => {
    const { properties = {}, required = [] } = (
      shape.$ref ? components.schemas[shape.$ref.split('/').at(-1)!] : shape
    ) as Shape
    return Object.keys(properties).map(name => (required.includes(name) ? name : `${name}?`))
  }
  for (const [route, takes] of Object.entries(ROUTES)) {
    const [method = '', path = ''] = route.split(' ')
    if (takes.limit === 'oidc') continue
    const { requestBody, parameters = [] } = paths[`/api/auth${path}`]![method.toLowerCase()] as Operation
    const query = parameters.map(one => (one.required ? one.name : `${one.name}?`))
    // Parlance itself accepts an invitation, before better-auth.
    const own = (name: string) => path === '/sign-up/email' && name === 'invitation?'
    const body = membersOf(requestBody?.content['application/json']?.schema)
    t.strictSame(body.filter(name => !own(name)).sort(), Object.keys(takes.body ?? {}).sort(), `${route}: body`)
    t.strictSame(query.filter(name => !own(name)).sort(), Object.keys(takes.query ?? {}).sort(), `${route}: query`)
  }
})

t.test('has a valid example for every body and parameter', async t => {
  const document = await documentOf(scene)
  const description = Description.of(document)
  for (const { name, parameters = [], requestBody, responses } of operationsOf(document)) {
    const contents = [requestBody, ...Object.values(responses)].flatMap(one => Object.values(one?.content ?? {}))
    for (const { schema, example } of contents) {
      t.not(example, undefined, `${name} has an example`)
      t.strictSame(description.misfit(schema, example, name), [])
    }
    for (const { name: parameter, in: place, schema, example } of parameters) {
      if (place === 'path') t.type(example, 'string', `${name} ${parameter}`)
      if (example !== undefined) t.strictSame(description.misfit(schema, example, `${name} ${parameter}`), [])
    }
  }
})

t.test('names the resources of the API in its components, and no internals', async t => {
  const { components } = await documentOf(scene)
  const wanted = ['Project', 'Manifest', 'Resource', 'Message', 'Key', 'Token', 'Revision', 'Release', 'Error', 'User']
  for (const name of wanted) t.ok(components.schemas[name], name)
  const members = JSON.stringify(components.schemas)
  t.notMatch(
    members,
    /passwordHash|"password":\{"type":"string"\},"createdAt|accessToken|idToken|"secret"|keyHash|"hash"/,
  )
  t.notOk(['Verification', 'TwoFactor'].some(table => table in components.schemas))
})

t.test('reports an answer that the document does not describe', async t => {
  const description = Description.of(await documentOf(scene))
  const reply = await scene.server.get('/api/projects', scene.acme.key)
  const { status, headers, bytes: body } = reply
  const seen = { method: 'GET', path: '/api/projects', status, headers, body }
  t.strictSame(description.faults(seen), [])
  t.match(description.faults({ ...seen, status: 418 }), [/418 is not described/])
  t.match(description.faults({ ...seen, status: 400 }), [/etag is not described/, /required/, /additional/].slice(0, 1))
  t.match(description.faults({ ...seen, body: Buffer.from('{"projects":[{}]}') }), [/slug/])
  t.match(description.faults({ ...seen, body: Buffer.from('{"projects":[],"more":1}') }), [/more/])
  t.match(description.faults({ ...seen, headers: { ...headers, etag: 'x' } }), [/etag/])
  t.match(description.faults({ ...seen, headers: { ...headers, 'x-new': 'x' } }), [/x-new is not described/])
  const { etag: _, ...untagged } = headers
  t.match(description.faults({ ...seen, headers: untagged }), [/etag is described/])
  t.match(description.faults({ ...seen, headers: { ...headers, 'content-type': 'text/html' } }), [/text\/html/])
  t.match(description.faults({ ...seen, method: 'DELETE' }), [/DELETE is no operation/])
})

t.test('refuses other methods on the document', async t => {
  for (const path of ['/api/openapi.json', '/api/docs', '/api/docs/static/x.css']) {
    for (const method of ['POST', 'DELETE', 'PROPFIND']) {
      const reply = await scene.server.call(method, path)
      isError(t, reply, 405, `${method} ${path}`)
      t.equal(reply.headers.allow, 'GET, HEAD', path)
    }
    const options = await scene.server.call('OPTIONS', path)
    t.match(options, { status: 204, headers: { allow: 'GET, HEAD' } }, path)
  }
})

t.test('serves pages to browse the document', async t => {
  const { server } = scene
  const page = await server.get('/api/docs')
  t.equal(page.status, 200)
  t.match(page.headers['content-type'], /^text\/html/)
  t.match(page.text, /<title>Parlance/)
  t.match(page.headers['content-security-policy'], /default-src 'self'/)
  t.notMatch(page.headers['content-security-policy'], /upgrade-insecure-requests/, 'it works over plain http')
  for (const [, path = ''] of page.text.matchAll(/(?:src|href)="(\.?\/[^"]+)"/g)) {
    const url = new URL(path, `${server.base}/api/docs`)
    t.equal((await server.get(url.pathname)).status, 200, path)
  }
  const document: Document = (await server.get('/api/docs/json')).json
  t.ok(document.paths['/api/projects'])
  t.equal(new URL(document.servers[0]!.url, `${server.base}/api/docs/json`).pathname, '/')

  const { description } = (await documentOf(scene)).info
  const guides = [...description.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
  t.equal(guides.length, Object.keys(GUIDES).length)
  for (const at of ['/api/openapi.json', '/api/docs', '/api/docs/']) {
    for (const path of guides) {
      const guide = await server.get(new URL(path, server.base + at).pathname)
      t.equal(guide.status, 200, `${path} from ${at}`)
      t.match(guide.text, /^# /)
    }
  }
  for (const name of ['nope', '..%2fREADME', 'constructor']) {
    t.equal((await server.get(`/api/docs/guides/${name}.md`)).status, 404)
  }
})
