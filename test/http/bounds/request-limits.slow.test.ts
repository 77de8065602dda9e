import t from 'tap'
import type { Caller } from '../../../src/auth/access.ts'
import { Failure } from '../../../src/bundle/errors.ts'
import { RequestLimits } from '../../../src/http/bounds/request-limits.ts'
import { eventually } from '../../eventually.ts'
import { exchange, openScene, type Reply } from '../server.ts'

const LOW = { RATE_LIMIT: 'on', READ_RATE: '1', WRITE_RATE: '1', REFUSAL_RATE: '1' }
const PATH = '/api/projects/web/bundles/en/common'

/** The answers to concurrent requests, by status. */
async function many(times: number, ask: () => Promise<Reply>): Promise<Map<number, Reply[]>> {
  const replies = new Map<number, Reply[]>()
  for (const reply of await Promise.all(Array.from({ length: times }, ask))) {
    replies.set(reply.status, [...(replies.get(reply.status) ?? []), reply])
  }
  return replies
}

/** Whether a caller is above its limit. In the time of one request on a busy machine, a limit allows the next one. */
const isLimited = (ask: () => Promise<Reply>) => eventually(async () => (await many(20, ask)).has(429))

t.test('returns 429 to the caller above the limit of reads or writes, and to no other caller', async t => {
  const { server, acme, reader, member, other } = await openScene(t, LOW)
  await server.project(acme.key, 'web')
  let n = 0
  const writes = await many(90, () => server.put(PATH, acme.key, { a: `${n++}` }))
  const refused = writes.get(429) ?? []
  t.ok(refused.length >= 5, `${refused.length} are too many`)
  t.equal(refused.length + (writes.get(200)?.length ?? 0), 90)
  for (const { json, headers } of refused) {
    t.match(json, { error: /^This API token sends too many writes; try again in 1 second\.$/ })
    t.strictSame(Object.keys(json), ['error'])
    t.equal(headers['retry-after'], '1')
    t.equal(headers['access-control-allow-origin'], '*')
    t.equal(headers['cache-control'], 'private, no-cache')
  }
  t.equal((await server.get(PATH, acme.key)).status, 200, 'reads have a separate limit')
  t.equal((await server.get(PATH, reader)).status, 200)
  t.equal((await server.call('PUT', PATH, { as: member, body: { a: 'x' } })).status, 200)
  t.equal((await server.get('/api/projects', other.key)).status, 200)

  const reads = await many(90, () => server.call('GET', PATH, { as: member }))
  t.match(reads.get(429)?.[0]?.json.error, /^You send too many reads; /)
  t.equal((await server.get(PATH, reader)).status, 200)
  const clones = await many(90, () => server.get('/api/translations.git/info/refs?service=git-receive-pack', reader))
  t.ok(clones.get(429), 'git requests count as reads')
  t.ok(await isLimited(() => server.get(PATH, reader)))
})

t.test('returns 429 when an address sends too many wrong credentials, and accepts valid ones', async t => {
  const { server, acme, member } = await openScene(t, LOW)
  const wrong = await many(90, () => server.get('/api/projects', 'prl_'.padEnd(47, 'x')))
  const [first, ...others] = wrong.get(429) ?? []
  t.equal((wrong.get(401)?.length ?? 0) + 1 + others.length, 90)
  t.match(first?.json, { error: /^Your address sends too many requests without a valid credential; / })
  t.match(first?.headers['retry-after'], /^\d+$/)
  t.ok(await isLimited(() => server.get('/api/projects')), 'a request without credentials counts')
  const headers = { cookie: 'parlance.session_token=x.y' }
  t.ok(await isLimited(() => server.call('GET', '/api/tokens', { headers })))
  t.equal((await server.get('/api/projects', acme.key)).status, 200)
  t.equal((await server.call('GET', '/api/tokens', { as: member })).status, 200)
  const info = '/api/translations.git/info/refs?service=git-upload-pack'
  t.equal((await server.get(info)).status, 401, 'git begins a clone without credentials')
  t.ok(await isLimited(() => server.get(info, 'wrong')))
  t.equal((await server.get('/api/health')).status, 200)
})

t.test('uses the address that a trusted proxy sends', async t => {
  const { server } = await openScene(t, { ...LOW, TRUST_PROXY: 'loopback' })
  const from = (address: string) => server.get('/api/projects', 'wrong', { 'x-forwarded-for': address })
  await many(90, () => from('192.0.2.1'))
  t.ok(await isLimited(() => from('192.0.2.1')))
  t.equal((await from('192.0.2.2')).status, 401)
  await many(90, () => from('2001:db8:1:2::1'))
  t.ok(await isLimited(() => from('2001:db8:1:2:ffff::9')), 'the same /64 network is one client')
  t.equal((await from('2001:db8:1:3::1')).status, 401)
})

t.test('allows ordinary load by default, and all load with RATE_LIMIT=off', async t => {
  const clock = { now: 0 }
  const limits = new RequestLimits({ reads: 10_000, writes: 1000, refusals: 20 }, () => clock.now)
  const ci = { kind: 'token', id: 'ci' } as Caller
  let refused = 0
  for (let n = 0; n < 3 * 60 * 900; n++) {
    clock.now += 1000 / 900
    if (limits.excess(ci, 'write')) refused++
  }
  t.equal(refused, 0, '900 writes a second for three minutes')
  for (let n = 0; n < 50_000; n++) if (limits.excess({ ...ci, id: 'push' }, 'write')) refused++
  t.equal(refused, 0, '50,000 at once')
  for (let n = 0; n < 10_001; n++) limits.excess({ ...ci, id: 'push' }, 'write')
  const excess = limits.excess({ ...ci, id: 'push' }, 'write')
  t.ok(excess instanceof Failure && excess.code === 'too-many')

  const { server } = await openScene(t, { ...LOW, RATE_LIMIT: 'off' })
  const wrong = await many(90, () => server.get('/api/projects', 'wrong'))
  t.equal(wrong.get(401)?.length, 90)
  t.match(
    await exchange(server, 'GET /api/projects HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 401 /,
  )
})
