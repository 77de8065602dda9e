import t from 'tap'
import { exchange, openScene, runRows, type Scene } from '../server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
  await scene.server.project(scene.acme.key, 'web')
})

t.test('returns an error of one shape when the path is unknown or malformed', async t => {
  const { server, acme } = scene
  const { key } = acme
  await runRows(t, server, [
    { name: 'above the API', method: 'GET', path: '/api', status: 404 },
    { name: 'unknown', method: 'GET', path: '/api/nothing', status: 404 },
    { name: 'unknown, with a body', method: 'POST', path: '/api/nothing', body: 'x'.repeat(100_000), status: 404 },
    { name: 'below a key', method: 'PUT', path: '/api/projects/web/bundles/en/a/b/c', key, body: {}, status: 404 },
    { name: 'not percent-encoded', method: 'GET', path: '/api/projects/%zz', key, status: 400 },
    { name: 'not UTF-8', method: 'GET', path: '/api/projects/web/bundles/en/%ff', key, status: 400 },
    {
      name: 'half a surrogate pair',
      method: 'PUT',
      path: '/api/projects/web/bundles/en/a/%ED%A0%80',
      key,
      body: {},
      status: 400,
    },
    {
      name: 'a segment too long',
      method: 'PUT',
      path: `/api/projects/web/bundles/en/a/${'k'.repeat(17_000)}`,
      key,
      status: 414,
    },
    {
      name: 'a key too long',
      method: 'PUT',
      path: `/api/projects/web/bundles/en/a/${'k'.repeat(1_025)}`,
      key,
      body: {},
      status: 400,
    },
    { name: 'no key', method: 'PUT', path: '/api/projects/web/bundles/en/a/', key, body: {}, status: 400 },
    { name: 'no slug', method: 'GET', path: '/api/projects/', key, status: 400 },
    { name: 'no namespace', method: 'GET', path: '/api/projects/web/bundles/en/', key, status: 400 },
  ])
  const cors = await server.get('/api/projects/%zz')
  t.equal(cors.headers['access-control-allow-origin'], '*', 'an app on another origin may read the refusal')
})

t.test('returns 405 with Allow when the path lacks the method', async t => {
  const { server, acme } = scene
  const allow = (expected: string) => (reply: { headers: Record<string, unknown> }) =>
    t.equal(reply.headers.allow, expected)
  await runRows(t, server, [
    {
      name: 'DELETE list',
      method: 'DELETE',
      path: '/api/projects',
      key: acme.key,
      status: 405,
      check: allow('GET, HEAD, POST'),
    },
    {
      name: 'PATCH bundle',
      method: 'PATCH',
      path: '/api/projects/web/bundles/en/a',
      body: {},
      status: 405,
      check: allow('GET, HEAD, POST, PUT, DELETE'),
    },
    {
      name: 'PATCH key',
      method: 'PATCH',
      path: '/api/projects/web/bundles/en/a/b',
      key: acme.key,
      status: 405,
      check: allow('GET, HEAD, PUT, DELETE'),
    },
    {
      name: 'PUT tokens',
      method: 'PUT',
      path: '/api/tokens',
      as: acme.owner,
      status: 405,
      check: allow('GET, HEAD, POST'),
    },
    { name: 'GET token', method: 'GET', path: '/api/tokens/x', as: acme.owner, status: 405, check: allow('DELETE') },
    { name: 'POST health', method: 'POST', path: '/api/health', status: 405, check: allow('GET, HEAD') },
  ])
})

t.test('answers malformed HTTP in JSON', async t => {
  const { server } = scene
  for (const [name, bytes, status] of [
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['no host', 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a header too long', `GET /api/health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['a path too long', `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['two lengths', 'POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400],
    [
      'a length and chunks',
      'POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ] as const) {
    const answer = await exchange(server, bytes)
    t.match(answer, new RegExp(`^HTTP/1.1 ${status} `), name)
    t.match(answer, /content-type: application\/json/i, name)
    t.type(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).error, 'string', name)
  }
})

t.test('ignores an unknown Expect header', async t => {
  for (const expect of ['200-ok', '']) {
    const answer = await exchange(
      scene.server,
      `GET /api/health/live HTTP/1.1\r\nHost: x\r\nExpect: ${expect}\r\nConnection: close\r\n\r\n`,
    )
    t.match(answer, /^HTTP\/1\.1 200 OK\r\n/, expect)
  }
})

t.test('returns only the request id when a route throws', async t => {
  const { default: Fastify } = await import('fastify')
  const { answerFailures } = await import('../../../src/http/answers/errors.ts')
  const { Failure } = await import('../../../src/bundle/errors.ts')
  const app = Fastify()
  answerFailures(app)
  app.get('/broken', () => {
    throw new Error('the password is swordfish')
  })
  app.get('/busy', () => {
    throw new Failure('too-many', 'Slow down.', { retryAfter: 1.2 })
  })
  app.get('/theirs', () => {
    throw Object.assign(new Error('swordfish'), { statusCode: 418 })
  })
  app.get('/full', () => {
    throw Object.assign(new Error('swordfish'), { code: 'SQLITE_FULL' })
  })
  const full = await app.inject('/full')
  t.equal(full.statusCode, 507)
  t.match(full.json(), { error: /no disk space/ })
  const broken = await app.inject('/broken')
  t.equal(broken.statusCode, 500)
  t.match(broken.json(), { error: /under request req-2\./ })
  t.notMatch(broken.body, /swordfish/)
  const busy = await app.inject('/busy')
  t.equal(busy.statusCode, 429)
  t.equal(busy.headers['retry-after'], '2')
  const theirs = await app.inject('/theirs')
  t.equal(theirs.statusCode, 418)
  t.notMatch(theirs.body, /swordfish/)
})

t.test('cuts no connection off when the server asks itself', async t => {
  const { default: Fastify } = await import('fastify')
  const { answerFailures } = await import('../../../src/http/answers/errors.ts')
  const app = Fastify()
  answerFailures(app)
  const delays: (number | undefined)[] = []
  const { setTimeout: own } = globalThis
  globalThis.setTimeout = ((act: () => void, delay?: number) => {
    delays.push(delay)
    return own(act, delay)
  }) as typeof setTimeout
  t.teardown(() => {
    globalThis.setTimeout = own
  })
  t.equal((await app.inject('/none')).statusCode, 404)
  t.notOk(delays.includes(15_000), 'no timer would destroy a missing socket')
})
