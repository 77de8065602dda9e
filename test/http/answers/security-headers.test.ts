import t from 'tap'
import { exchange, openScene, type Reply, type Scene, startServer } from '../server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
  await scene.server.project(scene.acme.key, 'web')
  await scene.server.put('/api/projects/web/bundles/en/common', scene.acme.key, { a: 'x' })
})

const data = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}

t.test('sends the security headers with every answer', async t => {
  const { server, acme, reader } = scene
  const bundle = '/api/projects/web/bundles/en/common'
  const { key } = acme
  const { etag = '' } = (await server.get(bundle, key)).headers
  const pages = [
    await server.get(bundle, key),
    await server.get(bundle, key, { 'if-none-match': etag }),
    await server.call('HEAD', bundle, { key }),
    await server.call('OPTIONS', bundle),
    await server.get('/api/projects/web', 'no token'),
    await server.put(bundle, reader, { a: 'y' }),
    await server.get('/api/projects/nothing', key),
    await server.put(bundle, key, { a: 5 }),
    await server.call('PATCH', bundle, { key }),
    await server.get('/api/projects/%zz', key),
  ]
  t.strictSame(
    pages.map(({ status }) => status),
    [200, 304, 200, 204, 401, 403, 404, 422, 405, 400],
  )
  const ours = [
    await server.call('GET', '/api/tokens', { as: acme.owner }),
    await server.get('/api/health'),
    await server.get('/api/openapi.json'),
    await server.get('/metrics'),
    await server.get('/api/translations.git/info/refs?service=git-upload-pack', key),
    await server.get('/api/translations.git/info/refs'),
    await server.call('GET', '/api/auth/get-session', { as: acme.owner }),
    await server.signIn('nobody@example.com', 'wrong password'),
    await server.get('/nothing'),
    await server.get('/%zz'),
    await server.call('GET', '/api/health', { headers: { host: '' } }),
  ]
  const check = (replies: Reply[], policy: string) => {
    for (const { status, headers } of replies) {
      t.match(headers, { ...data, 'cross-origin-resource-policy': policy }, `on ${status}`)
      t.notOk('strict-transport-security' in headers, 'the request came over http')
      for (const name of ['server', 'x-powered-by', 'via']) t.notOk(name in headers, name)
    }
  }
  check(pages, 'cross-origin')
  check(ours, 'same-origin')
})

t.test('repeats the required headers in a 304', async t => {
  const { server, acme } = scene
  for (const path of ['/api/projects', '/api/projects/web', '/api/projects/web/bundles/en/common']) {
    const full = await server.get(path, acme.key)
    const unchanged = await server.get(path, acme.key, { 'if-none-match': String(full.headers.etag) })
    t.equal(unchanged.status, 304)
    for (const name of ['etag', 'cache-control', 'vary', 'access-control-allow-origin']) {
      t.ok(full.headers[name], `${path} has ${name}`)
      t.equal(unchanged.headers[name], full.headers[name], `${path} ${name}`)
    }
    t.ok(unchanged.headers.date)
    t.notOk('content-type' in unchanged.headers || 'content-length' in unchanged.headers, 'a 304 has no body')
  }
})

t.test('sends the security headers when the parser of Node refuses the request', async t => {
  const answer = await exchange(scene.server, 'GET / HTTP/1.1\r\nno colon\r\n\r\n')
  t.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  for (const [name, value] of Object.entries(data)) t.ok(head.includes(`\r\n${name}: ${value}`), name)
  t.type(JSON.parse(body).error, 'string')
})

t.test('allows the pages of /api/docs to load their own files only', async t => {
  const { server } = scene
  const page = await server.get('/api/docs/')
  t.equal(page.status, 200)
  const policy = String(page.headers['content-security-policy'])
  t.match(policy, /default-src 'self'/)
  t.match(policy, /frame-ancestors 'none'/)
  t.notMatch(policy, /upgrade-insecure-requests|unsafe-eval|script-src[^;]*unsafe/)
  t.match(page.headers, { ...data, 'content-security-policy': policy, 'cross-origin-resource-policy': 'same-origin' })
  t.notMatch(page.text, /<script(?![^>]*\ssrc=)/, 'no inline script')
  t.notMatch(page.text, /\son\w+=/, 'no inline handler')
  const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!)
  t.ok(loaded.length >= 4)
  for (const url of loaded) {
    const target = new URL(url, `${server.base}/api/docs/`)
    t.equal(target.origin, server.origin, url)
    const reply = await server.get(target.pathname)
    t.equal(reply.status, 200, url)
    t.match(reply.headers, { 'x-content-type-options': 'nosniff' })
    if (url.endsWith('.js')) t.match(reply.headers['content-type'], /javascript/, url)
    if (url.endsWith('.css')) t.match(reply.headers['content-type'], /^text\/css/, url)
  }
})

t.test('sends Strict-Transport-Security when the request came over https', async t => {
  const hsts = async (env: Record<string, string>, headers: Record<string, string> = {}) => {
    const server = await startServer(t, { env })
    const found = (await server.get('/api/health', undefined, headers)).headers['strict-transport-security']
    await server.close()
    return found
  }
  const https = { 'x-forwarded-proto': 'https' }
  t.equal(await hsts({}, https), undefined, 'an untrusted client can send this header')
  t.equal(await hsts({ TRUST_PROXY: 'loopback' }, https), 'max-age=31536000')
  t.equal(await hsts({ TRUST_PROXY: 'loopback' }, { 'x-forwarded-proto': 'http' }), undefined)
  t.equal(await hsts({ TRUST_PROXY: 'loopback' }), undefined)
  t.equal(await hsts({ TRUST_PROXY: '10.0.0.0/8' }, https), undefined)
  t.equal(await hsts({ BASE_URL: 'https://parlance.example.com' }), 'max-age=31536000')
  t.equal(await hsts({ BASE_URL: 'http://parlance.example.com' }, https), undefined)
})
