/**
 * OWASP API7 to API10 (2023): requests of the server, its configuration, unknown routes, and answers of others.
 * Also checked by test/http/answers/security-headers, /cors, /errors, test/http/requests/methods,
 * test/http/openapi and test/auth/routes.
 * API10: test/auth/oidc (a lying provider) and test/store/backup/ (a remote that redirects, refuses or differs).
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { dataFolder, Session, settings } from '../contract/server.ts'
import { exchange, type Scene } from '../http/server.ts'
import { furnish, isAuthWrite, routesOf, send } from './routes.ts'

export const EVIL = 'evil.example'

/** Targets of an open redirect. */
export const ELSEWHERE = [
  `https://${EVIL}`,
  `//${EVIL}`,
  `/\\${EVIL}`,
  `/%5c${EVIL}`,
  `\\\\${EVIL}`,
  `/\t/${EVIL}`,
  `https:${EVIL}`,
  `http://127.0.0.1@${EVIL}`,
  `javascript:location='//${EVIL}'`,
  `data:text/html,${EVIL}`,
  `/x\r\nLocation: https://${EVIL}`,
]
const REDIRECTING = [
  'callbackURL',
  'redirectTo',
  'errorCallbackURL',
  'newUserCallbackURL',
  'redirect',
  'next',
  'url',
  'returnTo',
]

export async function exposure(t: Test, scene: Scene): Promise<void> {
  const { server, acme } = scene
  await furnish(server, acme.key)
  const routes = await routesOf(server)

  await t.test('API7: fetches no address from a request', async t => {
    let fetched = 0
    const listener = createServer((_request, response) => {
      fetched++
      response.end()
    })
    await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
    t.teardown(() => listener.close())
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/x`
    const sam = await server.signUp('Sam')
    const own = await server.createOrganization(sam)
    const requests: [string, object][] = [
      ['/api/auth/update-user', { image: url }],
      ['/api/auth/sign-in/email', { email: sam.user.email, password: sam.password, callbackURL: url }],
      ['/api/auth/organization/update', { organizationId: own, data: { logo: url, metadata: { url } } }],
      ['/api/auth/organization/create', { name: url, slug: 'fetched', logo: url }],
      ['/api/projects', { slug: 'fetched', name: url, sourceLanguage: 'en' }],
    ]
    for (const [path, body] of requests) {
      const reply = await server.call('POST', path, { as: sam, body })
      t.ok(reply.status < 500, `${path}: ${reply.status}`)
    }
    for (const { path } of routes.filter(({ method }) => method === 'GET')) {
      await server.call('GET', `${path}?url=${url}&at=${url}&from=${url}&callbackURL=${url}`, { as: sam })
    }
    const told = await exchange(server, `GET ${url} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
    t.match(told, /^HTTP\/1\.1 404/, 'the server is no proxy')
    t.match(await exchange(server, `CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n`), /^(HTTP\/1\.1 4|$)/)
    t.equal(fetched, 0)
  })

  await t.test('API8: redirects no browser to another site', async t => {
    const check = (what: string, { headers, text }: { headers: Record<string, unknown>; text: string }) => {
      const { location } = headers
      if (location !== undefined)
        t.equal(new URL(String(location), server.base).origin, server.origin, `${what}: ${location}`)
      t.notOk('x-injected' in headers || 'refresh' in headers)
      const { url } = (JSON.parse(text || '{}') ?? {}) as { url?: unknown }
      t.notOk(String(url).includes(EVIL), `${what}: ${url}`)
    }
    for (const [index, route] of routes.filter(({ template }) => template.startsWith('/api/auth')).entries()) {
      // Each route gets a few targets, and each target several routes. Routes that redirect get all targets.
      const known = Object.keys((route.body as object) ?? {}).some(name => REDIRECTING.includes(name))
      const places = known ? ELSEWHERE : ELSEWHERE.filter((_, n) => n % 5 === index % 5)
      for (const place of places) {
        const named = Object.fromEntries(REDIRECTING.map(name => [name, place]))
        const query = REDIRECTING.map(name => `${name}=${encodeURIComponent(place)}`).join('&')
        const headers = { origin: server.origin }
        const { email, name } = acme.owner.user
        const { password } = acme.owner
        const body = { ...(route.body as object), email, password, name, ...named }
        const sent = { ...route, path: `${route.path}?${query}`, ...(route.method !== 'GET' && { body }) }
        check(`${route.template} ${place}`, await send(server, sent, { headers }))
      }
    }
    for (const path of [
      `//${EVIL}`,
      `//${EVIL}/api/docs`,
      `/\\${EVIL}`,
      `/api/docs/..//${EVIL}`,
      `/api/docs//${EVIL}/%2e%2e`,
    ]) {
      const { headers } = await server.get(path)
      t.notOk(String(headers.location ?? '').includes(EVIL), path)
    }
  })

  await t.test('API8: ignores foreign Host and forwarding headers', async t => {
    // A separate user, since one of these routes signs the user out.
    const { owner } = await server.organization('Hope')
    const spoofed = {
      host: EVIL,
      'x-forwarded-host': EVIL,
      'x-forwarded-server': EVIL,
      'x-forwarded-prefix': `/${EVIL}`,
      'x-forwarded-for': '127.0.0.1',
      'x-original-url': '/metrics',
      'x-rewrite-url': '/metrics',
      forwarded: `host=${EVIL};proto=https;for=127.0.0.1`,
    }
    for (const route of [
      ...routes,
      { method: 'GET', path: '/api/openapi.json' },
      { method: 'GET', path: '/api/docs' },
    ]) {
      const reply = await server.call(route.method, route.path, { headers: { ...spoofed, cookie: owner.cookie } })
      t.notOk(reply.text.includes(EVIL), `${route.method} ${route.path}`)
      t.notOk(JSON.stringify(reply.headers).includes(EVIL), `${route.method} ${route.path}`)
      t.notMatch(reply.text, 'nodejs_heap', 'no rewritten path')
    }
    const again = new Session()
    again.keep((await server.signIn(owner.user.email, owner.password)).headers)
    const invited = await server.call('POST', '/api/auth/organization/invite-member', {
      headers: { ...spoofed, cookie: again.cookie },
      body: { email: 'spoofed@example.com', role: 'member' },
    })
    t.equal(invited.status, 200, invited.text)
    t.notOk(invited.text.includes(EVIL), 'an invitation has an id and no link')
    const secured = await server.call('POST', '/api/auth/sign-in/email', {
      headers: { ...spoofed, 'x-forwarded-proto': 'https' },
      body: { email: acme.owner.user.email, password: acme.owner.password },
    })
    t.notMatch(String(secured.headers['set-cookie']), EVIL)
  })

  await t.test('API8: sends no answer for a cookie to another origin, and refuses TRACE', async t => {
    for (const { method, path, template } of routes) {
      const headers = { origin: `https://${EVIL}`, 'access-control-request-method': method }
      for (const asked of [method === 'GET' ? 'GET' : 'OPTIONS', 'OPTIONS']) {
        const reply = await server.call(asked, path, { headers: { ...headers, cookie: acme.owner.cookie } })
        t.notOk('access-control-allow-credentials' in reply.headers, `${asked} ${template}`)
        const open = /^\/api\/(projects|events)/.test(template)
        t.equal(reply.headers['access-control-allow-origin'], open ? '*' : undefined, `${asked} ${template}`)
      }
      const traced = await server.call('TRACE', path, { headers: { 'x-secret': 'seen' } })
      t.ok(traced.status >= 400, `TRACE ${template}: ${traced.status}`)
      t.notMatch(traced.text, 'seen')
    }
  })

  await t.test('API9: describes every route in the OpenAPI document, except known ones outside the API', async t => {
    const app = await buildApp(readConfig(settings(dataFolder(t))))
    const table = app.printRoutes({ commonPrefix: false })
    await app.close()
    const stack: string[] = []
    const found: string[] = []
    for (const line of table.split('\n').filter(Boolean)) {
      const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
      const depth = indent.length / 4
      stack.length = depth
      stack.push(part)
      for (const method of methods?.split(', ') ?? []) found.push(`${method} ${stack.join('')}`)
    }
    t.ok(found.length > 80, `${found.length} routes and methods`)
    const described = new Map<string, Set<string>>()
    for (const { template, method } of routes) {
      const path = template.replace(/\{\w+\}/g, ':')
      described.set(path, (described.get(path) ?? new Set()).add(method))
    }
    const hidden =
      /^\S+ (\/api\/(auth\/\*|docs\*?|openapi\.json)|\/(assets\/:file|icon\.svg)?|\/api\/translations\.git\/git-receive-pack|\/?\*)$/
    const unknown = found.filter(route => {
      const [method = '', path = ''] = route.replace(/:\w+/g, ':').split(' ')
      // A described path answers 405 to its other methods: test/http/requests/methods.
      return !described.has(path) && !hidden.test(route) && method !== 'OPTIONS'
    })
    t.strictSame(unknown, [])
    for (const { template, method } of routes.filter(isAuthWrite)) t.equal(method, 'POST', template)
    for (const path of [
      '/api/v1/projects',
      '/v1/projects',
      '/api/v2/tokens',
      '/admin',
      '/debug',
      '/.env',
      '/.git/config',
      '/.git/HEAD',
      '/server-status',
      '/api/internal',
      '/graphql',
      '/actuator',
      '/data/secret',
      '/package.json',
      '/main.js.map',
      '/dist/main.js',
    ]) {
      t.equal((await server.get(path, acme.key)).status, 404, path)
    }
  })
}
