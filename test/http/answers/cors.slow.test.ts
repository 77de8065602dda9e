import t from 'tap'
import { openScene, type Scene } from '../server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
  await scene.server.project(scene.acme.key, 'web')
})
const origin = 'https://app.example.com'
const preflight = {
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-api-key,content-type',
}

t.test('answers a preflight from another origin with the allowed methods and headers', async t => {
  const { server } = scene
  const paths: [string, string][] = [
    ['/api/projects', 'GET, HEAD, POST'],
    ['/api/projects/web', 'GET, HEAD, PATCH, DELETE'],
    ['/api/projects/web/rename-key', 'POST'],
    ['/api/projects/web/delete-key', 'POST'],
    ['/api/projects/web/bundles/en', 'GET, HEAD, DELETE'],
    ['/api/projects/web/bundles/en/common', 'GET, HEAD, POST, PUT, DELETE'],
    ['/api/projects/web/bundles/en/common/a%2Fb', 'GET, HEAD, PUT, DELETE'],
  ]
  for (const [path, methods] of paths) {
    const { status, headers, text } = await server.call('OPTIONS', path, { headers: preflight })
    t.equal(status, 204, path)
    t.equal(text, '')
    t.equal(headers['access-control-allow-origin'], '*')
    t.equal(headers['access-control-allow-methods'], methods)
    for (const name of ['x-api-key', 'content-type', 'if-none-match', 'if-match']) {
      t.match(headers['access-control-allow-headers'], name)
    }
    t.equal(headers['access-control-max-age'], '86400')
    t.equal(headers['access-control-allow-credentials'], undefined)
    t.equal(headers['set-cookie'], undefined)
  }
})

t.test('allows other origins to read answers and refusals', async t => {
  const { server, acme, reader } = scene
  const path = '/api/projects/web/bundles/en/common'
  const answers = [
    await server.get(path, acme.key, { origin }),
    await server.get(path, acme.key, { origin, 'if-none-match': '*' }),
    await server.get(path, 'x', { origin }),
    await server.put(path, reader, { a: 'x' }, { origin }),
    await server.get('/api/projects/nothing', acme.key, { origin }),
    await server.call('PATCH', path, { key: acme.key, headers: { origin } }),
    await server.put(path, acme.key, '{', { origin }),
    await server.put(path, acme.key, { a: 5 }, { origin }),
    await server.call('PUT', path, { key: acme.key, body: Buffer.alloc(9 * 2 ** 20), headers: { origin } }),
  ]
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 304, 401, 403, 404, 405, 400, 422, 413],
  )
  for (const { status, headers } of answers) {
    t.equal(headers['access-control-allow-origin'], '*', `on ${status}`)
    t.equal(headers['access-control-expose-headers'], 'ETag', `on ${status}`)
    t.equal(headers['access-control-allow-credentials'], undefined, `on ${status}`)
  }
})

t.test('sends no CORS headers for tokens and accounts', async t => {
  const { server, acme } = scene
  for (const path of ['/api/tokens', '/api/tokens/x', '/api/auth/sign-in/email', '/api/health']) {
    const asked = await server.call('OPTIONS', path, { headers: preflight })
    t.equal(asked.headers['access-control-allow-origin'], undefined, path)
    t.equal(asked.headers['access-control-allow-methods'], undefined, path)
  }
  const list = await server.call('GET', '/api/tokens', { as: acme.owner, headers: { origin: server.origin } })
  t.equal(list.status, 200)
  t.equal(list.headers['access-control-allow-origin'], undefined)
})

t.test('answers the origins of CORS_ORIGINS only when it is set', async t => {
  const { server, acme } = await openScene(t, { CORS_ORIGINS: `${origin}, http://localhost:5173` })
  for (const [from, allowed] of [
    [origin, origin],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['https://evil.example', undefined],
    [`${origin}.evil.example`, undefined],
  ] as const) {
    const read = await server.get('/api/projects', acme.key, { origin: from })
    t.equal(read.status, 200)
    t.equal(read.headers['access-control-allow-origin'], allowed, from)
    t.equal(read.headers.vary, 'Cookie, X-API-Key, Origin')
    const asked = await server.call('OPTIONS', '/api/projects', { headers: { ...preflight, origin: from } })
    t.equal(asked.headers['access-control-allow-origin'], allowed, from)
    t.equal(asked.headers.vary, 'Origin')
  }
})
