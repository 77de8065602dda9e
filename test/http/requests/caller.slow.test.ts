import t from 'tap'
import { openScene, type Row, runRows, type Scene } from '../server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
  await scene.server.project(scene.acme.key, 'web')
})

const ask = (name: string, status: number, sending: Omit<Row, 'name' | 'method' | 'path' | 'status'> = {}): Row => ({
  name,
  method: 'GET',
  path: '/api/projects/web',
  status,
  ...sending,
})

t.test('requires a credential, and checks tokens and cookies separately', async t => {
  const { server, acme, other, stranger, member } = scene
  const cookie = acme.owner.cookie
  await runRows(t, server, [
    ask('nobody', 401, { check: (reply, t) => t.match(reply.headers['www-authenticate'], /^ApiKey /) }),
    ask('an owner', 200, { as: acme.owner }),
    ask('a member', 200, { as: member }),
    ask('a token', 200, { key: acme.key }),
    ask('another organization', 404, { key: other.key }),
    ask('another organization by session', 404, { as: other.owner }),
    ask('a member of nothing', 403, {
      as: stranger,
      check: (reply, t) => t.match(reply.json.error, /no organization/),
    }),
    ask('an unknown token', 401, { key: `prl_${'A'.repeat(43)}` }),
    ask('no token at all', 401, { key: 'x' }),
    ask('an empty token', 401, { headers: { 'x-api-key': '' } }),
    ask('a bad token beside a good cookie', 401, { headers: { 'x-api-key': 'x', cookie } }),
    ask('an empty token beside a good cookie', 401, { headers: { 'x-api-key': '', cookie } }),
    ask('a good token beside a bad cookie', 200, { key: acme.key, headers: { cookie: 'parlance.session_token=x' } }),
    ask('two tokens', 401, { headers: { 'x-api-key': [acme.key, acme.key] } }),
    ask('a forged cookie', 401, { headers: { cookie: cookie.replace(/=./, '=_') } }),
    ask('a cookie that is none', 401, { headers: { cookie: ';;=;%zz' } }),
    ask('a bearer token', 401, { headers: { authorization: `Bearer ${acme.key}` } }),
  ])
})

t.test('marks every answer as private to the caller', async t => {
  const { server, acme, other } = scene
  for (const key of [acme.key, other.key, 'x']) {
    const reply = await server.get('/api/projects/web', key)
    t.equal(reply.headers['cache-control'], 'private, no-cache', `on ${reply.status}`)
    t.equal(reply.headers.vary, 'Cookie, X-API-Key', `on ${reply.status}`)
  }
})

t.test('refuses every write with a read-only token', async t => {
  const { server, reader } = scene
  const body = { a: 'x' }
  await runRows(t, server, [
    { name: 'reads', method: 'GET', path: '/api/projects', key: reader, status: 200 },
    { name: 'POST', method: 'POST', path: '/api/projects/web/bundles/en/a', key: reader, body, status: 403 },
    { name: 'PUT', method: 'PUT', path: '/api/projects/web/bundles/en/a', key: reader, body, status: 403 },
    {
      name: 'dry run',
      method: 'PUT',
      path: '/api/projects/web/bundles/en/a?dryRun=true',
      key: reader,
      body,
      status: 403,
    },
    {
      name: 'PUT key',
      method: 'PUT',
      path: '/api/projects/web/bundles/en/a/k',
      key: reader,
      body: { value: 'x' },
      status: 403,
    },
    { name: 'project', method: 'POST', path: '/api/projects', key: reader, body: 'not even JSON', status: 403 },
  ])
})

t.test('refuses a write with a cookie from another origin', async t => {
  const { server, acme } = scene
  const body = { a: 'x' }
  const write = (name: string, status: number, headers: Record<string, string>): Row => ({
    name,
    method: 'POST',
    path: '/api/projects/web/bundles/en/cross',
    headers: { cookie: acme.owner.cookie, ...headers },
    body,
    status,
  })
  const host = new URL(server.base).host
  await runRows(t, server, [
    write('no browser', 200, {}),
    write('same origin', 200, { 'sec-fetch-site': 'same-origin' }),
    write('typed by the user', 200, { 'sec-fetch-site': 'none' }),
    write('cross-site', 403, { 'sec-fetch-site': 'cross-site' }),
    write('sibling', 403, { 'sec-fetch-site': 'same-site' }),
    write('own Origin', 200, { origin: `http://${host}` }),
    write('own Origin behind TLS', 200, { origin: `https://${host}` }),
    write('foreign Origin', 403, { origin: 'https://evil.example' }),
    write('Origin null', 403, { origin: 'null' }),
    write('own Origin, yet cross-site', 403, { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' }),
    write('a token is not sent by browsers unasked', 200, { 'x-api-key': acme.key, origin: 'https://evil.example' }),
    { ...write('reads may come', 200, { origin: 'https://evil.example' }), method: 'GET' },
    { ...write('tokens too', 403, { 'sec-fetch-site': 'cross-site' }), path: '/api/tokens', body: { name: 'x' } },
  ])
})

t.test('accepts BASE_URL as its own origin behind a proxy', async t => {
  const { server, acme } = await openScene(t, { BASE_URL: 'https://parlance.example.com' })
  await server.project(acme.key, 'web')
  const write = (origin: string) =>
    server.call('POST', '/api/projects/web/bundles/en/a', {
      body: { a: '' },
      headers: { cookie: acme.owner.cookie, origin },
    })
  t.equal((await write('https://parlance.example.com')).status, 200)
  t.equal((await write(server.origin)).status, 200, 'the direct origin still works')
  t.equal((await write('https://evil.example')).status, 403)
  const body = { email: acme.owner.user.email, password: acme.owner.password }
  const headers = { origin: 'https://parlance.example.com' }
  const reply = await server.call('POST', '/api/auth/sign-in/email', { body, headers })
  t.equal(reply.status, 200)
  t.match(reply.headers['set-cookie']?.[0], /; Secure/, 'a cookie set over https is Secure')
})

t.test('refuses a removed member at once', async t => {
  const { server, acme } = scene
  const leaver = await server.join(acme, 'Lea', 'member')
  const read = () => server.call('GET', '/api/projects', { as: leaver })
  t.equal((await read()).status, 200)
  const body = { memberIdOrEmail: leaver.user.email, organizationId: acme.id }
  await server.must('POST', '/api/auth/organization/remove-member', { as: acme.owner, body })
  t.equal((await read()).status, 403)
})
