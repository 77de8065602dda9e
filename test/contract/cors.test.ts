/** Browsers on other origins: preflights, what answers allow, and where nothing is allowed. */
import t, { type Test } from 'tap'
import { openWeb, type Reply, startServer } from './server.ts'

const APP = 'https://app.example'

const { server, acme, web } = await openWeb(t)
await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: { a: 'A' } })

const names = (value: unknown) =>
  String(value ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)

function noCredentials(t: Test, reply: Reply, what: string) {
  t.notOk(reply.headers['access-control-allow-credentials'], `${what}: no credentials`)
}

const preflight = (path: string, method: string, origin = APP, on = server) =>
  on.call('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type,x-api-key',
    },
  })

const routes: [() => string, string[]][] = [
  [() => '/api/projects', ['GET', 'POST']],
  [() => web, ['GET']],
  [() => `${web}/bundles/en`, ['GET']],
  [() => `${web}/bundles/en/common`, ['GET', 'POST', 'PUT']],
  [() => `${web}/bundles/en/common?dryRun=true`, ['PUT']],
  [() => `${web}/bundles/en/common/a%2Fb.c`, ['PUT']],
  [() => '/api/projects/none/bundles/xx/none', ['GET', 'POST', 'PUT']],
]

t.test('answers a preflight without a credential', async t => {
  for (const [path, methods] of routes) {
    for (const method of methods) {
      const reply = await preflight(path(), method)
      const what = `${method} ${path()}`
      t.ok(reply.status === 204 || reply.status === 200, `${what}: ${reply.status} ${reply.text}`)
      t.equal(reply.headers['access-control-allow-origin'], '*', what)
      const headers = names(reply.headers['access-control-allow-headers'])
      for (const name of ['x-api-key', 'content-type', 'if-none-match', 'if-match'])
        t.ok(headers.includes(name), `${what} allows ${name}`)
      t.ok(
        names(reply.headers['access-control-allow-methods']).includes(method.toLowerCase()),
        `${what}: the method is allowed`,
      )
      t.equal(reply.headers['access-control-max-age'], '86400', `${what}: for a day`)
      noCredentials(t, reply, what)
    }
  }
})

t.test('allows any origin to read answers and errors', async t => {
  const etag = String((await server.get(`${web}/bundles/en/common`, acme.key)).headers.etag)
  const key = acme.key
  const asked: [number, string, string, { key?: string; body?: unknown; headers?: Record<string, string> }][] = [
    [200, 'GET', '/api/projects', { key }],
    [200, 'GET', web, { key }],
    [200, 'GET', `${web}/bundles/en`, { key }],
    [200, 'GET', `${web}/bundles/en/common`, { key }],
    [200, 'HEAD', `${web}/bundles/en/common`, { key }],
    [304, 'GET', `${web}/bundles/en/common`, { key, headers: { 'if-none-match': etag } }],
    [200, 'POST', `${web}/bundles/en/common`, { key, body: { b: 'B' } }],
    [200, 'PUT', `${web}/bundles/en/common/c`, { key, body: { value: 'C' } }],
    [401, 'GET', `${web}/bundles/en/common`, {}],
    [404, 'GET', '/api/projects/none/bundles/en/common', { key }],
    [400, 'GET', `${web}/bundles/en/common.json`, { key }],
    [412, 'PUT', `${web}/bundles/en/common`, { key, body: { a: 'x' }, headers: { 'if-match': '"x"' } }],
    [422, 'POST', `${web}/bundles/en/common`, { key, body: { n: 5 } }],
    [415, 'POST', `${web}/bundles/en/common`, { key, body: 'x', headers: { 'content-type': 'text/plain' } }],
    [413, 'PUT', `${web}/bundles/en/common/a`, { key, body: 'x'.repeat(300_000) }],
  ]
  for (const [status, method, path, sending] of asked) {
    const reply = await server.call(method, path, { ...sending, headers: { ...sending.headers, origin: APP } })
    t.equal(reply.status, status, `${method} ${path}`)
    t.equal(reply.headers['access-control-allow-origin'], '*', `${status} ${method} ${path}: allowed`)
    t.ok(
      names(reply.headers['access-control-expose-headers']).includes('etag'),
      `${status} ${method} ${path}: ETag exposed`,
    )
    noCredentials(t, reply, `${method} ${path}`)
  }
})

t.test('allows no other origin on tokens and sign-in', async t => {
  for (const path of [
    '/api/tokens',
    '/api/tokens/x',
    '/api/auth/sign-in/email',
    '/api/auth/get-session',
    '/api/auth/organization/create',
    '/api/auth/api-key/list',
  ]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const asked = await preflight(path, method)
      t.notOk(asked.headers['access-control-allow-origin'], `preflight ${method} ${path}`)
      noCredentials(t, asked, path)
      const reply = await server.call(method, path, {
        as: acme.owner,
        headers: { origin: APP },
        ...(method === 'POST' ? { body: {} } : {}),
      })
      t.notOk(reply.headers['access-control-allow-origin'], `${method} ${path}`)
      noCredentials(t, reply, path)
    }
  }
})

t.test('allows only the origins of CORS_ORIGINS when it is set', async t => {
  const narrow = await startServer(t, { env: { CORS_ORIGINS: 'https://app.example,http://localhost:5173' } })
  const org = await narrow.organization('Nora')
  const shop = await narrow.project(org.key, 'shop')
  for (const origin of [APP, 'http://localhost:5173']) {
    const asked = await preflight(`${shop}/bundles/en/common`, 'POST', origin, narrow)
    t.equal(asked.headers['access-control-allow-origin'], origin, `preflight from ${origin}`)
    const reply = await narrow.get(`${shop}/bundles/en/common`, org.key, { origin })
    t.equal(reply.headers['access-control-allow-origin'], origin)
    t.ok(names(reply.headers.vary).includes('origin'), 'Vary has Origin')
    noCredentials(t, reply, origin)
  }
  for (const origin of [
    'https://evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'https://app.example:444',
    'null',
    'https://xapp.example',
  ]) {
    const asked = await preflight(`${shop}/bundles/en/common`, 'POST', origin, narrow)
    t.notOk(asked.headers['access-control-allow-origin'], `preflight from ${origin}`)
    const reply = await narrow.get(`${shop}/bundles/en/common`, org.key, { origin })
    t.equal(reply.status, 200, 'the server answers, and the browser hides the answer')
    t.notOk(reply.headers['access-control-allow-origin'], origin)
  }
})
