import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { settings } from '../contract/server.ts'
import { exchange, openScene, type Server, startServer } from './server.ts'

const TOKEN = 'scrape-me-0123456789'

/** The samples of a scrape by name and labels, as they are written. */
async function scrape(t: Test, server: Server): Promise<Map<string, number>> {
  const reply = await server.get('/metrics')
  t.equal(reply.status, 200)
  t.match(reply.headers['content-type'], /^text\/plain; version=0\.0\.4/)
  t.equal(reply.headers['cache-control'], 'no-store')
  const lines = reply.text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const sample = /^[a-z_][a-z0-9_]*(\{[^{}]*\})? (-?[0-9.e+-]+|[+-]?Inf|NaN)$/i
  t.strictSame(
    lines.filter(line => !sample.test(line)),
    [],
    'only samples',
  )
  return new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

t.test('counts answers by route, method and class of status', async t => {
  const { server, acme, reader } = await openScene(t)
  await server.project(acme.key, 'secret-project')
  const path = '/api/projects/secret-project/bundles/de/secret-namespace'
  const count = (samples: Map<string, number>, method: string, status: string) =>
    samples.get(
      `parlance_http_requests_total{route="/api/projects/:slug/bundles/:language/:namespace",method="${method}",status="${status}"}`,
    )
  await server.put(path, acme.key, { a: 'x' })
  await server.put(path, reader, { a: 'x' })
  const { headers } = await server.get(path, acme.key)
  await server.get(path, acme.key, { 'if-none-match': String(headers.etag) })
  await server.get(path, 'no token')
  await server.call('HEAD', path, { key: acme.key })
  await server.call('PATCH', path, { key: acme.key })
  await server.call('BREW', '/nowhere')
  await server.get('/nowhere/at/all')
  await exchange(server, 'GET /api/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const samples = await scrape(t, server)
  t.equal(count(samples, 'PUT', '2xx'), 1)
  t.equal(count(samples, 'PUT', '4xx'), 1)
  t.equal(count(samples, 'GET', '2xx'), 1, 'a HEAD is no GET')
  t.equal(count(samples, 'GET', '3xx'), 1)
  t.equal(count(samples, 'GET', '4xx'), 1)
  t.equal(count(samples, 'HEAD', '2xx'), 1)
  t.equal(count(samples, 'PATCH', '4xx'), 1)
  t.equal(samples.get('parlance_http_requests_total{route="unknown",method="GET",status="4xx"}'), 2)
  const timed = 'parlance_http_request_duration_seconds'
  const of = 'route="/api/projects/:slug/bundles/:language/:namespace",method="GET"'
  t.equal(samples.get(`${timed}_count{${of}}`), 3)
  t.equal(samples.get(`${timed}_bucket{${of},le="+Inf"}`), 3)
  t.ok(samples.get(`${timed}_sum{${of}}`)! > 0)
  const buckets = [...samples].filter(([name]) => name.startsWith(`${timed}_bucket{${of},`)).map(([, value]) => value)
  t.equal(buckets.length, 15)
  t.strictSame(
    buckets,
    [...buckets].sort((a, b) => a - b),
    'each holds those before it',
  )
})

t.test('reports values of the store and the process', async t => {
  const { server, acme } = await openScene(t)
  await server.project(acme.key, 'web')
  await server.put('/api/projects/web/bundles/de/common', acme.key, { a: 'x' })
  const samples = await scrape(t, server)
  t.equal(samples.get('parlance_write_duration_seconds_count'), 2)
  t.equal(samples.get('parlance_organizations_open'), 1)
  t.equal(samples.get('parlance_write_queue_length'), 0)
  t.ok(samples.get('parlance_cache_bytes')! > 0)
  for (const name of ['parlance_git_processes', 'parlance_git_waiting', 'parlance_journal_bytes']) {
    t.ok(samples.get(name)! >= 0, name)
  }
  const ours = ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds']
  for (const name of [...ours, 'nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_used_bytes']) {
    t.ok(samples.has(name), name)
  }
  await server.commits(acme.id)
  const later = await scrape(t, server)
  t.ok(later.get('parlance_seal_duration_seconds_count')! >= 1)
  t.equal(later.get('parlance_unsealed_commits'), 0)
  t.equal(later.get('parlance_journal_bytes'), 0)
})

t.test('contains no names, and does not grow with users and projects', async t => {
  const { server, acme, member, other } = await openScene(t)
  await server.project(acme.key, 'secret-project')
  await server.put('/api/projects/secret-project/bundles/de/secret-namespace', acme.key, { secretkey: 'x' })
  await server.get('/api/projects/secret-project', other.key)
  const before = [...(await scrape(t, server)).keys()].join('\n')
  const secrets = [acme.id, acme.slug, acme.key, other.id, member.user.id, member.user.email, 'secret', server.dataDir]
  for (const secret of secrets) t.notMatch(before, secret)
  for (let n = 0; n < 20; n++) {
    await server.get(`/path/${n}`)
    await server.get(`/api/projects/project-${n}`, acme.key)
  }
  const lines = (text: string) => text.split('\n').filter(line => line.startsWith('parlance_')).length
  const once = lines([...(await scrape(t, server)).keys()].join('\n'))
  for (let n = 20; n < 40; n++) {
    await server.get(`/path/${n}`)
    await server.get(`/api/projects/project-${n}`, acme.key)
  }
  t.equal(lines([...(await scrape(t, server)).keys()].join('\n')), once)
})

t.test('serves metrics to direct local clients only with METRICS=local', async t => {
  const server = await startServer(t)
  const unknown = await server.get('/metricz')
  const cases: [string, Record<string, string>][] = [
    ['forwarded', { forwarded: 'for=127.0.0.1' }],
    ['x-forwarded-for', { 'x-forwarded-for': '127.0.0.1' }],
    ['x-forwarded-proto', { 'X-Forwarded-Proto': 'https' }],
    ['x-real-ip', { 'x-real-ip': '127.0.0.1' }],
    ['via', { via: '1.1 proxy' }],
    ['a host that is not this machine', { host: 'parlance.example.com' }],
    ['a host that only begins like it', { host: '127.0.0.1.example.com' }],
  ]
  for (const [name, headers] of cases) {
    const reply = await server.get('/metrics', undefined, headers)
    t.equal(reply.status, 404, name)
    t.equal(reply.text, unknown.text, `${name}: the same answer as for an unknown path`)
    t.strictSame(Object.keys(reply.headers), Object.keys(unknown.headers), name)
  }
  t.match(await exchange(server, 'GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n'), /^HTTP\/1\.1 404 /)
  for (const host of ['localhost', 'LOCALHOST:3000', '[::1]:3000', '127.0.1.1']) {
    t.equal((await server.get('/metrics', undefined, { host })).status, 200, host)
  }
  t.equal((await server.call('HEAD', '/metrics')).status, 200)
  t.equal((await server.call('POST', '/metrics')).status, 404)
})

t.test('refuses metrics with METRICS=local from a public address, with any X-Forwarded-For', async t => {
  const app = await buildApp(readConfig(settings(`${t.testdir()}/data`, { TRUST_PROXY: 'true' })))
  t.teardown(() => app.close())
  const statusFrom = async (remoteAddress: string, headers = {}) =>
    (await app.inject({ url: '/metrics', headers: { host: '127.0.0.1', ...headers }, remoteAddress })).statusCode
  t.equal(await statusFrom('127.0.0.1'), 200)
  for (const address of ['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1']) {
    t.equal(await statusFrom(address), 404, address)
    t.equal(await statusFrom(address, { 'x-forwarded-for': '127.0.0.1' }), 404, `${address} for 127.0.0.1`)
  }
})

t.test('serves metrics to any client with METRICS_TOKEN', async t => {
  const server = await startServer(t, { env: { METRICS_TOKEN: TOKEN } })
  const forwarded = { 'x-forwarded-for': '192.0.2.1', host: 'parlance.example.com' }
  const ask = (authorization: string) => server.get('/metrics', undefined, { authorization, ...forwarded })
  for (const given of [`Bearer ${TOKEN}`, `bearer  ${TOKEN}`]) t.equal((await ask(given)).status, 200, given)
  for (const given of ['', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, TOKEN, `Basic ${TOKEN}`, 'Bearer']) {
    const reply = await ask(given)
    t.equal(reply.status, 401, given)
    t.match(reply.headers['www-authenticate'], /^Bearer /)
    t.type(reply.json.error, 'string')
    t.notMatch(reply.text, TOKEN)
  }
  t.equal((await server.get('/metrics')).status, 401, 'on this machine too')
})

t.test('returns 404 with METRICS=off', async t => {
  const server = await startServer(t, { env: { METRICS: 'off', METRICS_TOKEN: TOKEN } })
  const reply = await server.get('/metrics', undefined, { authorization: `Bearer ${TOKEN}` })
  t.equal(reply.status, 404)
  t.equal(reply.text, (await server.get('/metricz')).text)
  t.notOk('/metrics' in (await server.get('/api/openapi.json')).json.paths)
})
