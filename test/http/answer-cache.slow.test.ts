import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { eventually } from '../contract/server.ts'
import { openScene, type Reply, type Server, startServer } from './server.ts'

t.setTimeout(0)

setFlagsFromString('--expose-gc')
const gc: () => void = runInNewContext('gc')

const bundle = '/api/projects/web/bundles/en/common'
const large = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key${at}`, `Text of number ${at}`]))

/** The number of requests that reached a route so far. The log of failures shows the number of each request. */
function asked(lines: string[]): (server: Server) => Promise<number> {
  return async server => {
    lines.length = 0
    await server.get('/api/projects', 'no token')
    const line = lines.map(text => JSON.parse(text)).find(({ route }) => route === '/api/projects')
    return Number.parseInt(line.reqId.slice('req-'.length), 36)
  }
}

/** A server with a project, and a counter of the requests that reach its routes. */
async function open(t: Test, env: Record<string, string> = {}) {
  const lines: string[] = []
  const server = await startServer(t, {
    env: { LOG_LEVEL: 'info', LOG_REQUESTS: 'failures', ...env },
    log: { write: line => lines.push(line) },
  })
  const acme = await server.organization('Ann')
  await server.must('POST', '/api/projects', {
    key: acme.key,
    body: { name: 'Web', slug: 'web', sourceLanguage: 'en' },
  })
  await server.put(bundle, acme.key, large)
  const count = asked(lines)
  /** Sends a request `times` times. @returns the answers, and the number of them that a route gave */
  const ask = async (times: number, path: string, key: string, headers: Record<string, string> = {}) => {
    const before = await count(server)
    const replies: Reply[] = []
    for (let at = 0; at < times; at++) replies.push(await server.get(path, key, headers))
    return { replies, routed: (await count(server)) - before - 1 }
  }
  return { server, acme, ask }
}

const told = ({ status, headers: { date: _, ...headers }, text }: Reply) => ({ status, headers, text })

t.test('repeats a cached answer byte for byte without its route', async t => {
  const { server, acme, ask } = await open(t)
  const paths = ['/api/projects', '/api/projects/web', '/api/projects/web/bundles/en', bundle, `${bundle}/key1`]
  for (const path of [...paths, '/api/projects/web/bundles/en?namespace=common']) {
    const { etag = '' } = (await server.get(path, acme.key)).headers
    for (const headers of [
      { 'accept-encoding': 'identity' },
      { 'accept-encoding': 'br' },
      { 'accept-encoding': 'gzip' },
      { 'if-none-match': etag },
      { origin: 'https://app.example' },
    ] as Record<string, string>[]) {
      const { replies, routed } = await ask(3, path, acme.key, headers)
      const [first, second, third] = replies.map(told)
      t.strictSame(second, first, `${path} ${JSON.stringify(headers)}`)
      t.strictSame(third, first)
      t.equal(first?.status, 'if-none-match' in headers ? 304 : 200)
      t.ok(routed <= 1, `${routed} requests reached a route`)
    }
  }
})

t.test('runs the route each time when the answer depends on more than the state', async t => {
  const { server, acme, ask } = await open(t)
  const { etag = '' } = (await server.get(bundle, acme.key)).headers
  const routed = async (path: string, headers: Record<string, string> = {}) =>
    (await ask(3, path, acme.key, headers)).routed
  t.equal(await routed(`${bundle}?at=2020-01-01`), 3, 'as of another time')
  t.equal(await routed('/api/projects/web/releases'), 3, 'releases, which are outside the state')
  t.equal(await routed('/api/projects/nothing'), 3, 'a failure')
  t.equal(await routed(bundle, { 'if-none-match': `"other", ${etag}` }), 3, 'a list of tags')
  t.equal(await routed(bundle, { 'if-none-match': '*' }), 3)
  const head = await server.call('HEAD', bundle, { key: acme.key })
  t.equal(head.text, '')
  t.equal(head.status, 200)
})

t.test('answers with the new state at once after a write in the organization', async t => {
  const { server, acme, ask } = await open(t)
  await ask(3, bundle, acme.key)
  for (const value of ['one', 'two']) {
    await server.put(`${bundle}/key1`, acme.key, { value })
    const { replies } = await ask(2, bundle, acme.key)
    for (const { json } of replies) t.equal(json.key1, value)
  }
  t.equal((await server.call('DELETE', '/api/projects/web', { key: acme.key })).status, 204)
  t.equal((await server.get(bundle, acme.key)).status, 404)
})

t.test('checks the token of each request before it answers from the cache', async t => {
  const { server, acme, ask } = await open(t)
  const { key, id } = await server.mint(acme.owner, 'reader', 'read')
  const other = await server.organization('Otto')
  t.equal((await ask(3, bundle, key)).routed, 1)
  t.equal((await server.get(bundle, other.key)).status, 404)
  t.equal((await server.get(bundle)).status, 401)
  t.equal((await server.get(bundle, `${key.slice(0, -1)}!`)).status, 401)
  t.equal((await server.call('DELETE', `/api/tokens/${id}`, { as: acme.owner })).status, 204)
  t.equal((await server.get(bundle, key)).status, 401, 'revoked')
  t.equal((await server.get(bundle, acme.key)).status, 200)
  await server.must('POST', '/api/auth/organization/delete', { as: acme.owner, body: { organizationId: acme.id } })
  t.equal((await server.get(bundle, acme.key)).status, 401, 'the organization is gone')
})

t.test('caches answers by Origin and X-Forwarded-Proto as well as by URL', async t => {
  const { acme, ask } = await open(t, { CORS_ORIGINS: 'https://a.example,https://b.example', TRUST_PROXY: 'loopback' })
  const allowed = async (headers: Record<string, string>) => {
    const { replies } = await ask(2, bundle, acme.key, headers)
    return replies.map(({ headers }) => [headers['access-control-allow-origin'], headers['strict-transport-security']])
  }
  const twice = (...values: unknown[]) => [values, values]
  const hsts = 'max-age=31536000'
  t.strictSame(await allowed({ origin: 'https://a.example' }), twice('https://a.example', undefined))
  t.strictSame(await allowed({ origin: 'https://b.example' }), twice('https://b.example', undefined))
  t.strictSame(await allowed({ origin: 'https://c.example' }), twice(undefined, undefined))
  t.strictSame(await allowed({ 'x-forwarded-proto': 'https' }), twice(undefined, hsts))
  t.strictSame(await allowed({}), twice(undefined, undefined))
})

t.test('counts, limits and logs cached answers as other reads', async t => {
  const { server, acme, ask } = await open(t)
  await ask(4, bundle, acme.key)
  const { text } = await server.get('/metrics')
  t.match(
    text,
    /parlance_http_requests_total\{[^}]*bundles\/:language\/:namespace"[^}]*method="GET"[^}]*2xx[^}]*\} 4\n/,
  )

  const limited = await open(t, { RATE_LIMIT: 'on', READ_RATE: '1' })
  await limited.ask(1, bundle, limited.acme.key)
  // Together: one after the other, a slow machine asks no faster than the limit.
  const together = await Promise.all(Array.from({ length: 300 }, () => limited.server.get(bundle, limited.acme.key)))
  t.strictSame(new Set(together.map(({ status }) => status)), new Set([200, 429]))

  const logged = await open(t, { LOG_REQUESTS: 'all' })
  t.equal((await logged.ask(3, bundle, logged.acme.key)).routed, 3)
})

t.test('checks the session of each request before it answers from the cache', async t => {
  const { server, acme, member } = await openScene(t)
  await server.must('POST', '/api/projects', {
    key: acme.key,
    body: { name: 'Web', slug: 'web', sourceLanguage: 'en' },
  })
  await server.get('/api/projects/web', acme.key)
  t.equal((await server.call('GET', '/api/projects/web', { as: member })).status, 200)
  t.equal((await server.call('GET', '/api/projects/web')).status, 401)
})

t.test('returns 404 for a cached project when the token is limited to other projects', async t => {
  const { server, acme, ask } = await open(t)
  await server.project(acme.key, 'shop')
  const { key } = await server.mint(acme.owner, 'shop alone', 'write', ['shop'])
  const twin = (await server.mint(acme.owner, 'shop alone too', 'read', ['shop'])).key
  for (const path of ['/api/projects/web', '/api/projects/web/bundles/en', bundle]) {
    const { etag = '' } = (await ask(3, path, acme.key)).replies[0]!.headers
    const known = { 'if-none-match': etag }
    await ask(2, path, acme.key, known)
    t.equal((await server.get(path, key)).status, 404, path)
    t.equal((await server.get(path, key, known)).status, 404, `${path}, asked for its entity tag`)
  }
  const list = async (key: string) =>
    (await ask(3, '/api/projects', key)).replies.map(({ json }) => json.projects.length)
  t.strictSame(await list(acme.key), [2, 2, 2])
  t.strictSame(await list(key), [1, 1, 1])
  t.strictSame(await list(acme.key), [2, 2, 2])
  t.equal((await ask(3, '/api/projects', twin)).routed, 0, 'tokens of the same projects share answers')
})

t.test('answers with the same headers and bytes with and without the cache', async t => {
  const folder = t.testdir()
  const servers = await Promise.all(
    ['failures', 'all'].map(async which => {
      const env = {
        LOG_LEVEL: 'info',
        LOG_REQUESTS: which,
        CORS_ORIGINS: 'https://app.example',
        TRUST_PROXY: 'loopback',
      }
      // LOG_REQUESTS=all turns the cache off.
      const server = await startServer(t, { env, dataDir: join(folder, which), log: { write: () => {} } })
      const { owner, key } = await server.organization('Ann')
      for (const slug of ['web', 'shop']) await server.project(key, slug)
      const mint = async (projects?: string[]) => (await server.mint(owner, 'reader', 'read', projects)).key as string
      return { server, key, reader: await mint(), ofWeb: await mint(['web']), ofShop: await mint(['shop']) }
    }),
  )
  const both = async (ask: (one: (typeof servers)[number]) => Promise<Reply>) => {
    const [cached, routed] = (await Promise.all(servers.map(ask))).map(told)
    return { cached: cached!, routed: routed! }
  }
  const web = '/api/projects/web'
  for (const { server, key } of servers) {
    for (const name of ['common', 'other']) await server.put(`${web}/bundles/en/${name}`, key, { ...large, name })
  }
  const paths = [
    '/api/projects',
    web,
    '/api/projects/shop',
    `${web}/bundles/en`,
    `${web}/bundles/en/common`,
    `${web}/bundles/en/none`,
  ]
  const targets = fc.constantFrom(
    ...paths,
    `${web}/bundles/en?namespace=other`,
    `${web}/bundles/de/common`,
    '/api/health/live',
  )
  const headers = fc.record(
    {
      'accept-encoding': fc.constantFrom('br', 'gzip', 'identity', '*', 'br;q=0.1, gzip', 'nonsense'),
      origin: fc.constantFrom('https://app.example', 'https://other.example'),
      'x-forwarded-proto': fc.constantFrom('https', 'http'),
      'if-none-match': fc.constantFrom('known', '*', '"other"', 'other, known'),
    },
    { requiredKeys: [] },
  )
  const asking = fc.record({
    path: targets,
    headers,
    who: fc.constantFrom('key', 'reader', 'ofWeb', 'ofShop', 'nobody'),
    write: fc.nat(9),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(asking, { minLength: 5, maxLength: 15 }), async asked => {
      for (const { path, headers, who, write } of asked) {
        if (write === 0) {
          const { cached, routed } = await both(({ server, key }) =>
            server.put(`${web}/bundles/en/common/key1`, key, { value: path }),
          )
          t.equal(cached.status, routed.status)
        }
        const { etag = '"none"' } = (await servers[1]!.server.get(path, servers[1]!.key)).headers
        const known = headers['if-none-match']?.replace('known', etag)
        const sent = { ...headers, ...(known && { 'if-none-match': known }) }
        for (let time = 0; time < 3; time++) {
          const { cached, routed } = await both(one =>
            one.server.get(path, who === 'nobody' ? undefined : one[who], sent),
          )
          t.strictSame(cached, routed, `${who} ${path} ${JSON.stringify(sent)}`)
        }
      }
    }),
    { numRuns: 3, endOnFailure: true },
  )
})

t.test('drops the bytes of an answer that the cache has no room for', async t => {
  const { server, acme } = await open(t, { CACHE_BYTES: '1MiB' })
  const texts = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`key${at}`, 'x'.repeat(400)]))
  const languages = Array.from({ length: 24 }, (_, at) => `de-x-${at}`)
  for (const language of languages) await server.put(`/api/projects/web/bundles/${language}/common`, acme.key, texts)
  const held = async () => {
    // No event reports that the sockets have released their buffers.
    await pause(100)
    gc()
    return process.memoryUsage().arrayBuffers
  }
  const before = await held()
  let length = 0
  for (const language of languages) {
    const { text } = await server.get(`/api/projects/web/bundles/${language}`, acme.key)
    length += text.length
  }
  let more = 0
  // The garbage collector may free some bytes only later.
  await eventually(async () => (more = (await held()) - before) < length / 3)
  t.ok(more < length / 3, `${more} bytes more are held after answers of ${length}`)
})
