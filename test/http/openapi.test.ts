import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { openScene, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

type Operation = {
  summary?: string
  security?: unknown
  responses: Record<string, { description: string }>
  tags?: string[]
}
type Document = { openapi: string; servers: { url: string }[]; paths: Record<string, Record<string, Operation>> }

t.test('the document is valid OpenAPI 3.1, open to all, and told apart by its entity tag', async t => {
  const { server } = scene
  const reply = await server.get('/api/openapi.json')
  t.equal(reply.status, 200)
  const document: Document = reply.json
  t.match(document.openapi, /^3\.1\./)
  const result = await new Validator().validate(JSON.parse(reply.text))
  t.equal(result.valid, true, JSON.stringify(result.errors)?.slice(0, 500))
  t.notMatch(reply.text, /"nullable"/)
  t.notMatch(reply.text, /127\.0\.0\.1|localhost/, 'it holds wherever the server is')
  t.equal(new URL(document.servers[0]!.url, `${server.base}/api/openapi.json`).pathname, '/')
  const again = await server.get('/api/openapi.json', undefined, { 'if-none-match': String(reply.headers.etag) })
  t.equal(again.status, 304)
})

t.test('every route is described: what it is, who may, what it answers', async t => {
  const document: Document = (await scene.server.get('/api/openapi.json')).json
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
  )
  const ours = operations.filter(({ name }) => !name.includes('/api/auth/'))
  t.strictSame(ours.map(({ name }) => name).sort(), [
    'DELETE /api/projects/{slug}',
    'DELETE /api/projects/{slug}/bundles/{language}/{namespace}',
    'DELETE /api/projects/{slug}/bundles/{language}/{namespace}/{key}',
    'DELETE /api/projects/{slug}/releases/{name}',
    'DELETE /api/tokens/{id}',
    'GET /api/audit',
    'GET /api/health',
    'GET /api/health/live',
    'GET /api/projects',
    'GET /api/projects/{slug}',
    'GET /api/projects/{slug}/bundles/{language}',
    'GET /api/projects/{slug}/bundles/{language}/{namespace}',
    'GET /api/projects/{slug}/diff',
    'GET /api/projects/{slug}/history',
    'GET /api/projects/{slug}/releases',
    'GET /api/projects/{slug}/releases/{name}',
    'GET /api/tokens',
    'GET /api/translations.git/info/refs',
    'GET /metrics',
    'PATCH /api/projects/{slug}',
    'POST /api/projects',
    'POST /api/projects/{slug}/bundles/{language}/{namespace}',
    'POST /api/projects/{slug}/releases',
    'POST /api/projects/{slug}/rename-key',
    'POST /api/projects/{slug}/restore',
    'POST /api/tokens',
    'POST /api/translations.git/git-upload-pack',
    'PUT /api/projects/{slug}/bundles/{language}/{namespace}',
    'PUT /api/projects/{slug}/bundles/{language}/{namespace}/{key}',
  ])
  for (const { name, summary, security, responses, tags } of ours) {
    t.ok(summary, name)
    t.ok(Array.isArray(security), name)
    t.equal(tags?.length, 1, name)
    for (const { description } of Object.values(responses)) t.not(description, 'Default Response', name)
    if (!/health|metrics$/.test(name)) for (const status of ['401', '403']) t.ok(responses[status], `${name} ${status}`)
  }
  t.strictSame(Object.keys(ours.find(({ name }) => name.startsWith('PUT') && name.endsWith('{key}'))!.responses), [
    '200',
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
    '503',
    '507',
  ])
  const theirs = operations.map(({ name }) => name)
  t.ok(theirs.includes('POST /api/auth/sign-in/email'))
  t.notOk(theirs.some(name => name.includes('/api-key')))
})

t.test('it can be browsed', async t => {
  const { server } = scene
  const page = await server.get('/api/docs')
  t.equal(page.status, 200)
  t.match(page.headers['content-type'], /^text\/html/)
  t.match(page.headers['content-security-policy'], /default-src 'self'/)
  t.notMatch(page.headers['content-security-policy'], /upgrade-insecure-requests/, 'it works over plain http')
  for (const [, path = ''] of page.text.matchAll(/(?:src|href)="(\.?\/[^"]+)"/g)) {
    const url = new URL(path, `${server.base}/api/docs`)
    t.equal((await server.get(url.pathname)).status, 200, path)
  }
  const document: Document = (await server.get('/api/docs/json')).json
  t.ok(document.paths['/api/projects'])
  t.equal(new URL(document.servers[0]!.url, `${server.base}/api/docs/json`).pathname, '/')
})
