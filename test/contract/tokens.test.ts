/** API tokens: minting, lists, expiry, revocation and stored hashes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isError, type Organization, oneOf, type Server, startServer } from './server.ts'

let server: Server
let acme: Organization
let now = Date.now()
const DAY = 24 * 60 * 60 * 1000
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

t.before(async () => {
  server = await startServer(t, { now: () => now })
  acme = await server.organization('Ann')
})

const mint = (body: unknown) => server.call('POST', '/api/tokens', { as: acme.owner, body })
const list = async () => (await server.call('GET', '/api/tokens', { as: acme.owner })).json.tokens

t.test('returns the key once, with exactly the documented fields', async t => {
  const reply = await mint({ name: 'deploy' })
  t.equal(reply.status, 201)
  t.equal(reply.headers['cache-control'], 'no-store')
  t.strictSame(Object.keys(reply.json).sort(), [
    'createdAt',
    'createdBy',
    'expiresAt',
    'id',
    'key',
    'name',
    'scope',
    'start',
  ])
  const { key, start, createdAt, createdBy, expiresAt, name, scope } = reply.json
  t.match(key, /^prl_[A-Za-z0-9_-]{43}$/)
  t.equal(start, key.slice(0, 8))
  t.match(createdAt, ISO)
  t.strictSame(createdBy, { id: acme.owner.user.id, name: 'Ann' })
  t.strictSame([name, scope, expiresAt], ['deploy', 'write', null])
  const rows = await server.call('GET', '/api/tokens', { as: acme.owner })
  t.strictSame(Object.keys(rows.json), ['tokens'])
  const row = rows.json.tokens.find((row: { id: string }) => row.id === reply.json.id)
  t.strictSame(Object.keys(row).sort(), [
    'createdAt',
    'createdBy',
    'expiresAt',
    'id',
    'lastUsedAt',
    'name',
    'scope',
    'start',
  ])
  const { key: _key, ...shown } = reply.json
  t.strictSame(row, { ...shown, lastUsedAt: null })
  t.notOk(rows.text.includes(key.slice(8)), 'the list has no secret')
  t.equal(rows.headers['cache-control'], 'private, no-cache')
  t.match(String(rows.headers.vary).toLowerCase(), 'cookie')
  t.equal((await server.call('HEAD', '/api/tokens', { as: acme.owner })).status, 200, 'HEAD answers where GET does')
  t.equal((await server.get('/api/projects', key)).status, 200)
  const used = (await list()).find((row: { id: string }) => row.id === reply.json.id)
  t.match(used.lastUsedAt, ISO, 'its use is noted')
})

t.test('creates different keys and stores only hashes', async t => {
  const minted = await Promise.all(Array.from({ length: 20 }, (_, n) => mint({ name: `t${n}` })))
  const keys: string[] = minted.map(reply => reply.json.key)
  t.equal(new Set(keys).size, 20)
  t.equal(new Set(minted.map(reply => reply.json.id)).size, 20)
  for (const file of readdirSync(server.dataDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const bytes = readFileSync(join(file.parentPath, file.name))
    for (const key of keys) t.notOk(bytes.includes(key.slice(8)), `${file.name} holds no key`)
  }
})

t.test('bodies', async t => {
  const good = [
    { name: 'a' },
    { name: 'x', scope: 'read' },
    { name: 'x', scope: 'write' },
    { name: 'Ünïcode 😀' },
    { name: 'x', expiresInDays: 1 },
    { name: 'x', expiresInDays: 365 },
  ]
  for (const body of good) t.equal((await mint(body)).status, 201, JSON.stringify(body))
  const bad = [
    {},
    { name: '' },
    { name: '   ' },
    { name: 5 },
    { name: null },
    { name: ['a'] },
    { name: 'a\u0000b' },
    { name: 'a\nb' },
    { name: 'x'.repeat(5000) },
  ]
  const worse = [
    { scope: 'admin' },
    { scope: '' },
    { scope: null },
    { scope: 'READ' },
    { scope: ['read'] },
    { expiresInDays: 0 },
    { expiresInDays: -1 },
    { expiresInDays: '7' },
    { expiresInDays: 1e12 },
    { expiresInDays: 1.5 },
    { expiresInDays: true },
  ]
  for (const body of [...bad, ...worse.map(part => ({ name: 'x', ...part }))])
    isError(t, await mint(body), 400, JSON.stringify(body).slice(0, 80))
  for (const field of ['role', 'key', 'id', 'organizationId', 'createdBy']) {
    const reply = await mint({ name: 'x', [field]: 'y' })
    isError(t, reply, 400, field)
    t.match(reply.json?.error, new RegExp(field), 'named')
  }
  isError(
    t,
    await server.call('POST', '/api/tokens?x=1', { as: acme.owner, body: { name: 'x' } }),
    400,
    'an unknown query parameter',
  )
  for (const body of ['[]', '"x"', 'null', '5']) isError(t, await mint(body), 400, body)
})

t.test('scopes', async t => {
  const read = (await mint({ name: 'r', scope: 'read' })).json.key
  const write = (await mint({ name: 'w', scope: 'write' })).json.key
  const body = { name: 'P', slug: 'scoped', sourceLanguage: 'en' }
  isError(t, await server.post('/api/projects', read, body), 403, 'a read token creates no project')
  t.equal((await server.post('/api/projects', write, body)).status, 201, 'write does')
  isError(t, await server.put('/api/projects/scoped/bundles/en/c', read, { a: 'A' }), 403, 'read pushes nothing')
  isError(
    t,
    await server.put('/api/projects/none/bundles/en/c', read, { a: 'A' }),
    [403, 404],
    'to an unknown project neither',
  )
  t.equal((await server.get('/api/projects/scoped', read)).status, 200)
})

t.test('refuses a revoked token at once and for good', async t => {
  const { id, key } = (await mint({ name: 'short' })).json
  t.equal((await server.get('/api/projects', key)).status, 200)
  const reply = await server.call('DELETE', `/api/tokens/${id}`, { as: acme.owner })
  t.equal(reply.status, 204)
  t.equal(reply.bytes.length, 0)
  isError(t, await server.get('/api/projects', key), 401, 'at the next request')
  isError(t, await server.call('DELETE', `/api/tokens/${id}`, { as: acme.owner }), 404, 'a second time')
  isError(t, await server.call('DELETE', '/api/tokens/unknown', { as: acme.owner }), 404, 'an unknown one')
  t.notOk(
    (await list()).some((row: { id: string }) => row.id === id),
    'gone from the list',
  )
})

t.test('expiry', async t => {
  const { key, expiresAt, createdAt } = (await mint({ name: 'one day', expiresInDays: 1 })).json
  t.match(expiresAt, ISO)
  t.equal(Date.parse(expiresAt) - Date.parse(createdAt), DAY)
  t.equal((await server.get('/api/projects', key)).status, 200)
  now += DAY - 60_000
  t.equal((await server.get('/api/projects', key)).status, 200, 'a minute before')
  now += 61_000
  isError(t, await server.get('/api/projects', key), 401, 'a second after')
  t.equal((await server.get('/api/projects', acme.key)).status, 200, 'a token without expiry still works')
  oneOf(t, (await server.call('GET', '/api/tokens', { as: acme.owner })).status, [200], 'the list too')
  now -= DAY
})
