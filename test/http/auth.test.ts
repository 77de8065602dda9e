import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CLIENT, startProvider } from '../auth/oidc-provider.ts'
import { Session } from '../contract/server.ts'
import { exchange, isError, openScene, runRows, type Scene, startServer } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

t.test('signs a user in, returns the session, and signs the user out', async t => {
  const { server, acme } = scene
  const { user, password } = acme.owner
  const wrong = await server.signIn(user.email, 'wrong')
  t.equal(wrong.status, 401)
  t.match(wrong.json, { error: String, code: String, message: String })
  const right = await server.signIn(user.email, password)
  t.equal(right.status, 200)
  const cookies = right.headers['set-cookie'] ?? []
  t.ok(cookies.length > 0)
  for (const line of cookies) {
    t.match(line, /HttpOnly/i)
    t.match(line, /SameSite=Lax/i)
    t.notMatch(line, /; Secure/, 'over plain http')
  }
  const cookie = cookies.map(line => line.split(';')[0]).join('; ')
  const ask = () => server.call('GET', '/api/auth/get-session', { headers: { cookie } })
  t.equal((await ask()).json.user.email, user.email)
  const headers = { cookie, origin: server.origin }
  t.equal((await server.call('POST', '/api/auth/sign-out', { body: {}, headers })).status, 200)
  t.equal((await ask()).json, null)
})

t.test('returns an error for the routes of better-auth that the server closes', async t => {
  const { server, acme } = scene
  const as = acme.owner
  await runRows(t, server, [
    { name: 'api-key', method: 'GET', path: '/api/auth/api-key/list', as, status: 404 },
    { name: 'api-key', method: 'POST', path: '/api/auth/api-key/create', as, body: {}, status: 404 },
    { name: 'api-key, escaped', method: 'POST', path: '/api/auth/api%2Dkey/create', as, body: {}, status: 404 },
    { name: 'api-key, doubled', method: 'POST', path: '/api/auth//api-key/create', as, body: {}, status: 404 },
    { name: 'api-key, roundabout', method: 'POST', path: '/api/auth/x/../api-key/create', as, body: {}, status: 404 },
    { name: 'unknown', method: 'GET', path: '/api/auth/nothing', as, status: 404 },
    { name: 'another method', method: 'DELETE', path: '/api/auth/get-session', as, status: 405 },
    {
      name: 'a form',
      method: 'POST',
      path: '/api/auth/sign-in/email',
      body: 'email=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 415,
    },
    {
      name: 'a body too large',
      method: 'POST',
      path: '/api/auth/sign-in/email',
      body: 'x'.repeat(20_000),
      status: 413,
    },
    { name: 'no JSON', method: 'POST', path: '/api/auth/sign-in/email', body: '{', status: 400 },
  ])
})

t.test('refuses a sign-in from another origin', async t => {
  const { server, acme } = scene
  const { user, password } = acme.owner
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
  ]
  for (const headers of foreign) {
    const reply = await server.signIn(user.email, password, headers)
    t.equal(reply.status, 403, JSON.stringify(headers))
    t.equal(reply.headers['set-cookie'], undefined)
  }
  const plain = await fetch(`${server.base}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: user.email, password }),
  })
  t.equal(plain.status, 200, "Node's own fetch, which sends Sec-Fetch-Mode alone")
})

t.test('returns 400 when Host is malformed', async t => {
  const { server } = scene
  for (const host of ['[', 'a@b', 'x/y', 'a b', '?', 'x#y', 'x:99999']) {
    const answer = await exchange(server, `GET /api/auth/get-session HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    t.match(answer, /^HTTP\/1.1 400 /, host)
    t.match(answer, /\{"error":/, host)
  }
})

t.test('reads the address and scheme of the client from trusted proxies only', async t => {
  const spoof = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '6.6.6.6' }
  const signIn = async (env: Record<string, string>) => {
    const server = await startServer(t, { env })
    const { user, password } = await server.signUp('Ann')
    return server.signIn(user.email, password, spoof)
  }
  const untrusted = await signIn({})
  t.equal(untrusted.status, 200)
  t.notMatch(untrusted.headers['set-cookie']?.[0], /; Secure/)
  for (const TRUST_PROXY of ['true', '1', 'loopback']) {
    const trusted = await signIn({ TRUST_PROXY })
    t.equal(trusted.status, 200)
    t.match(trusted.headers['set-cookie']?.[0], /; Secure/, TRUST_PROXY)
  }
})

t.test('returns an error of one sentence under /api/auth', async t => {
  const reply = await scene.server.call('POST', '/api/auth/organization/create', { body: { name: 'x', slug: 'x' } })
  t.equal(reply.status, 401)
  t.type(reply.json.error, 'string')
  isError(t, await scene.server.get('/api/auth'), 404, 'the mount itself')
})

t.test('signs a user in by the OpenID provider of the settings', async t => {
  const BASE_URL = 'https://parlance.example.com/app'
  const { provider, stop } = await startProvider(t, `${BASE_URL}/api/auth/callback/oidc`)
  const folder = t.testdir()
  const file = join(folder, 'client-secret')
  writeFileSync(file, `${CLIENT.secret}\n`, { mode: 0o600 })
  const lines: string[] = []
  const server = await startServer(t, {
    dataDir: join(folder, 'data'),
    log: { write: line => void lines.push(line) },
    env: {
      BASE_URL,
      LOG_LEVEL: 'trace',
      LOG_REQUESTS: 'all',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET_FILE: file,
      OIDC_NAME: 'Acme Login',
    },
  })
  const origin = new URL(BASE_URL).origin
  const ann = new Session()
  const answers: string[] = []
  const begin = async () => {
    const begun = await server.call('POST', '/api/auth/sign-in/social', {
      as: ann,
      body: { provider: 'oidc' },
      headers: { origin },
    })
    answers.push(begun.text, JSON.stringify(begun.headers))
    return begun
  }
  const come = async (url: string) => {
    const back = await server.call('GET', url.slice(BASE_URL.length), {
      as: ann,
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    answers.push(back.text, JSON.stringify(back.headers))
    return back
  }
  const begun = await begin()
  t.equal(begun.status, 200, begun.text)
  for (const cookie of begun.headers['set-cookie'] ?? []) t.match(cookie, /; HttpOnly; SameSite=Lax; Secure$/)
  const back = await come(provider.authorize(begun.json.url))
  t.equal(back.status, 302, back.text)
  t.equal(back.headers.location, '/app/api/auth/get-session')
  t.match((await server.call('GET', '/api/auth/get-session', { as: ann })).json, { user: { email: 'ann@example.com' } })
  t.match(provider.tokenRequests[0]?.form.get('redirect_uri'), `${BASE_URL}/api/auth/callback/oidc`)
  const refused = await come(provider.authorize(begun.json.url))
  t.match([refused.status, refused.json?.error], [400, /begin it again/])
  const last = provider.authorize((await begin()).json.url)
  await stop()
  const down = await come(last)
  t.match([down.status, down.json?.error, down.headers['retry-after']], [503, /^Acme Login does not answer/, '5'])
  answers.push((await server.get('/api/openapi.json')).text, (await server.get('/metrics')).text)
  t.match(answers.join(), '/api/auth/sign-in/social')
  for (const told of [answers.join('\n'), lines.join('\n')])
    t.notOk(told.includes(CLIENT.secret), 'the secret is nowhere')
  t.ok(lines.length > 3, 'there is a log')
})
