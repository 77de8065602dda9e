/** The worker computes large pushes. They answer as small ones do, and lose nothing when others write meanwhile. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { LARGE } from '../../src/http/writing/change-runner.ts'
import { resource } from '../bundle/resources.ts'
import { eventually } from '../contract/server.ts'
import { openScene, type Reply, type Scene } from './server.ts'

let scene: Scene
let thread: Worker | undefined
let threads = 0
process.on('worker', worker => {
  thread = worker
  threads++
})

t.before(async () => {
  scene = await openScene(t)
  for (const slug of ['small', 'large', 'web', 'others']) await scene.server.project(scene.acme.key, slug)
  await scene.server.project(scene.acme.key, 'small-flat', 'en', 'i18next-json-flat')
  await scene.server.project(scene.acme.key, 'large-flat', 'en', 'i18next-json-flat')
})

/** White space enlarges the body, so that the worker computes it. */
const SPACE = ' '.repeat(LARGE)
const folder = new URL('../cases/', import.meta.url)

const seen = ({ status, headers, text }: Reply) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'keep-alive')),
  text: text.replaceAll('large', 'small'),
})

/** Sends the same request to two equal projects, once small and once large. */
async function both(t: Test, name: string, method: string, path: string, body: string, more: object = {}) {
  const ask = (slug: string, sent: string) =>
    scene.server.call(method, `/api/projects/${slug}${path}`, { key: scene.acme.key, body: sent, ...more })
  const flat = path.startsWith('-flat')
  const small = await ask('small', body)
  const large = await ask('large', body + SPACE)
  t.strictSame(seen(large), seen(small), `${name}${flat ? ', flat' : ''}`)
  return large
}

t.test('answers large pushes of the case files as small ones', async t => {
  const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
  for (const { name, file, format, lang } of JSON.parse(read('index.json')).slice(0, 8)) {
    const place = `${format === 'flat' ? '-flat' : ''}/bundles/${lang}/cases`
    const kind = file.replace(/\W/g, '_')
    await both(t, name, 'PUT', `${place}${kind}?details=true`, read(file))
  }
  t.equal(threads, 1, 'one thread computed all pushes')
})

t.test('answers large pushes of random resources as small ones', async t => {
  let number = 0
  const flag = fc.boolean()
  const step = fc.record({ body: resource, post: flag, source: flag, dryRun: flag, details: flag, prune: flag })
  const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async steps => {
    const namespace = `random${number++}`
    for (const { body, post, source, ...flags } of steps) {
      const query = post
        ? ''
        : `?${new URLSearchParams(Object.entries(flags).map(([name, on]): [string, string] => [name, String(on)]))}`
      const path = `/bundles/${source ? 'en' : 'de'}/${namespace}${query}`
      const method = post ? 'POST' : 'PUT'
      await both(t, `${method} ${path}`, method, path, JSON.stringify(body))
    }
    for (const language of ['en', 'de']) await both(t, 'read', 'GET', `/bundles/${language}/${namespace}`, '')
  })
  await fc.assert(property, { numRuns: 8 })
})

t.test('refuses large pushes with the same errors in the same order as small ones', async t => {
  const bundle = '/bundles/en/refused'
  const first = await both(t, 'first', 'PUT', bundle, '{"a":"A","b":"B"}')
  const etag = String(first.headers.etag)
  const match = (value: string) => ({ headers: { 'if-match': value } })
  for (const [name, path, body, more, status] of [
    ['no JSON', bundle, '{"a" x}', {}, 400],
    ['no JSON, and no project', '-none/bundles/en/refused', '{x}', {}, 400],
    ['no project', '-none/bundles/en/refused', '{"a":5}', {}, 404],
    ['a number', bundle, '{"a":5}', {}, 422],
    ['no resource', bundle, '[]', {}, 422],
    ['another case', '/bundles/EN/refused', '{"a":5}', {}, 409],
    ['no JSON in another case', '/bundles/EN/refused', '[}', {}, 400],
    ['a bad name', '/bundles/e_n/refused', '{', {}, 400],
    ['an unknown parameter', `${bundle}?dryrun=true`, '{', {}, 400],
    ['stale', bundle, '{"a":5}', match('"0"'), 412],
    ['stale, and no JSON', bundle, '{"a":}', match('"0"'), 400],
    ['stale, dry', `${bundle}?dryRun=true`, '{"a":"x"}', match('"0"'), 412],
    ['there already', bundle, '{"a":"x"}', { headers: { 'if-none-match': '*' } }, 412],
    ['fresh, dry', `${bundle}?dryRun=true&details=true`, '{"a":"x"}', match(etag), 200],
    ['fresh', bundle, '{"a":"x"}', match(etag), 200],
    ['unchanged', bundle, '{"a":"x"}', match('*'), 200],
    ['all pruned', `${bundle}?prune=true`, '{}', {}, 200],
    ['nothing there', bundle, '{"a":"x"}', match('*'), 412],
    ['nothing', '/bundles/de/nothing', '{}', {}, 200],
    ['other media', bundle, '{}', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a key at two places', bundle, '{"a":{"b":"x"},"a.b":"y"}', {}, 422],
  ] as [string, string, string, object, number][]) {
    const reply = await both(t, name, 'PUT', path, body, more)
    t.equal(reply.status, status, `${name}: ${reply.text.slice(0, 200)}`)
  }
  const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from(`"}${SPACE}`)])
  const reply = await scene.server.put('/api/projects/large/bundles/en/refused', scene.acme.key, bytes)
  t.match(reply, { status: 400, json: { error: 'The body is not valid UTF-8.' } })
  for (const [key, status] of [
    [scene.reader, 403],
    [scene.other.key, 404],
    ['prl_none', 401],
  ] as const)
    t.equal((await scene.server.put('/api/projects/large/bundles/en/refused', key, `{}${SPACE}`)).status, status)
})

t.test('writes the same commits for large pushes as for small ones', async t => {
  const subjects = async (slug: string) => {
    const { json } = await scene.server.get(`/api/projects/${slug}/history?limit=100`, scene.acme.key)
    return json.revisions.map(({ subject, changes }: { subject: string; changes: object }) => ({
      subject: subject.replace('large', 'small'),
      changes,
    }))
  }
  await both(t, 'one key', 'PUT', '/bundles/en/said', '{"only":"x"}')
  await both(t, 'two keys', 'PUT', '/bundles/en/said', '{"two":"x","three":"y"}')
  await both(t, 'one removed, one added', 'PUT', '/bundles/en/said?prune=true', '{"two":"x","four":"y"}')
  await both(t, 'nothing new', 'PUT', '/bundles/en/said', '{"two":"x"}')
  t.strictSame(await subjects('large'), await subjects('small'))
})

const many = (prefix: string, keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, n) => [`${prefix}${n}`, `The text of ${prefix} number ${n}`]))

/** More than {@link LARGE} bytes in few keys, which are read quickly. */
const long = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`a${n}`, 'long '.repeat(LARGE / 2000)]))

t.test('computes a small push into a large bundle in the worker', async t => {
  const { server, acme } = scene
  const path = '/api/projects/web/bundles/en/grown'
  await server.must('PUT', path, { key: acme.key, body: long })
  for (const [method, body, answer] of [
    ['PUT', { a1: 'new', b: 'B' }, { added: 1, updated: 1 }],
    ['POST', { a1: 'newer', c: 'C' }, { added: 1, updated: 0, skipped: 1 }],
    ['PUT', { a2: '' }, { added: 0, updated: 0, skipped: 1 }],
  ] as const)
    t.match((await server.call(method, path, { key: acme.key, body })).json, answer)
  t.strictSame((await server.get(path, acme.key)).json, { ...long, a1: 'new', b: 'B', c: 'C' })
})

t.test('writes single keys of a large bundle as those of a small one', async t => {
  const { server, acme } = scene
  const [small, large] = ['small', 'large'].map(slug => `/api/projects/${slug}/bundles/en/keyed`)
  await server.must('PUT', small!, { key: acme.key, body: { item_one: 'one', text: 'x' } })
  const grown = { item_one: 'one', text: 'x', ...long }
  await server.must('PUT', large!, { key: acme.key, body: grown })
  for (const [name, value, headers, status] of [
    ['text', 'y', {}, 200],
    ['text', 'y', {}, 200],
    ['item_other', 'others', {}, 200],
    ['item', 'a text', {}, 422],
    ['text_ordinal_one', '{n, plural, other {x}}', {}, 422],
    ['text', 5, {}, 422],
    ['text', { one: ['x'] }, {}, 422],
    ['new', { one: 'x', other: 'y' }, {}, 200],
    ['text', 'z', { 'if-match': '*' }, 200],
    ['text', 'z', { 'if-match': '"0"' }, 412],
  ] as [string, unknown, Record<string, string>, number][]) {
    const ask = (path: string) => server.put(`${path}/${name}`, acme.key, { value }, headers)
    const [one, other] = [await ask(small!), await ask(large!)]
    const answer = ({ status, json: { etag, ...json } }: Reply) => ({ status, json })
    t.strictSame(answer(other), answer(one), `${name} ${JSON.stringify(value)}`)
    t.equal(other.status, status)
    if (status === 200) t.equal((await server.get(large!, acme.key)).headers.etag, other.headers.etag)
  }
  const writes = Array.from({ length: 20 }, (_, n) => server.put(`${large}/w${n}`, acme.key, { value: `${n}` }))
  for (const { status } of await Promise.all(writes)) t.equal(status, 200)
  const { json } = await server.get(large!, acme.key)
  t.strictSame(
    Array.from({ length: 20 }, (_, n) => json[`w${n}`]),
    Array.from({ length: 20 }, (_, n) => `${n}`),
    'many at once, and none is lost',
  )
})

t.test('loses no write when large pushes and single keys change one bundle at once', async t => {
  const { server, acme } = scene
  const path = '/api/projects/web/bundles/en/race'
  const large = ['a', 'b', 'c'].map(prefix =>
    server.put(path, acme.key, `${JSON.stringify(many(prefix, 15_000))}${SPACE}`),
  )
  let writing = true
  let written = 0
  const keys = (async () => {
    while (writing) {
      const reply = await server.put(`${path}/key${written}`, acme.key, { value: `value ${written}` })
      t.equal(reply.status, 200)
      written++
    }
  })()
  const replies = await Promise.all([
    ...large,
    server.post(path, acme.key, `${JSON.stringify(many('d', 100))}${SPACE}`),
  ])
  writing = false
  await keys
  const counts = replies.map(({ status, json }) => ({ status, added: json.added }))
  const all = (added: number) => ({ status: 200, added })
  t.strictSame(counts, [all(15_000), all(15_000), all(15_000), all(100)], 'each answer counts its own keys only')
  const expected: Record<string, string> = { ...many('a', 15_000), ...many('b', 15_000), ...many('c', 15_000) }
  Object.assign(expected, many('d', 100))
  for (let n = 0; n < written; n++) expected[`key${n}`] = `value ${n}`
  t.ok(written > 1, `${written} keys were written meanwhile`)
  t.strictSame((await server.get(path, acme.key)).json, expected, 'nothing is lost')
})

t.test('returns 412 when another write changes the bundle while the worker computes a push', async t => {
  const { server, acme } = scene
  let stale = 0
  for (let round = 0; round < 12 && stale < 2; round++) {
    const path = `/api/projects/web/bundles/en/stale${round}`
    const first = await server.put(path, acme.key, { key: 'first' })
    const body = `${JSON.stringify({ key: 'pushed', ...many('a', 10_000) })}${SPACE}`
    const pushing = server.put(path, acme.key, body, { 'if-match': String(first.headers.etag) })
    await pause(5 + round * 5)
    const second = await server.put(`${path}/key`, acme.key, { value: 'second' })
    const reply = await pushing
    t.equal(second.status, 200)
    const { key } = (await server.get(path, acme.key)).json
    t.equal(key, 'second', 'the later write stands')
    if (reply.status === 200) continue
    t.match(reply, { status: 412, headers: { etag: second.headers.etag }, json: { etag: second.headers.etag } })
    stale++
  }
  t.ok(stale > 0, `${stale} pushes were stale`)
})

t.test('stores a push in the new format when the project changes its format meanwhile', async t => {
  const { server, acme } = scene
  const project = '/api/projects/others'
  const body = `${JSON.stringify({ nested: many('a', 10_000) })}${SPACE}`
  const pushing = server.put(`${project}/bundles/en/changing`, acme.key, body)
  await pause(20)
  const changed = await server.call('PATCH', project, { key: acme.key, body: { defaultFormat: 'i18next-json-flat' } })
  t.equal(changed.status, 200)
  t.equal((await pushing).status, 200)
  const { json } = await server.get(`${project}/bundles/en/changing`, acme.key)
  t.equal(json['nested.a1'], 'The text of a number 1')
})

t.test('serves the next push after a client leaves and after the thread dies', async t => {
  const { server, acme } = scene
  const path = '/api/projects/web/bundles/en/left'
  const body = JSON.stringify(many('a', 20_000)) + SPACE
  const headers = { 'x-api-key': acme.key, 'content-type': 'application/json' }
  const leaving = Array.from({ length: 3 }, () => {
    const request = server.open('PUT', path, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
    request.on('error', () => undefined)
    request.end(body)
    return request
  })
  await Promise.all(leaving.map(request => once(request, 'finish')))
  for (const request of leaving) request.destroy()
  t.equal((await server.put(path, acme.key, body)).status, 200, 'the next one is served')
  t.strictSame((await server.get(path, acme.key)).json, many('a', 20_000))

  const dying = server.put(`${path}2`, acme.key, JSON.stringify(many('a', 60_000)))
  await pause(30)
  await thread!.terminate()
  const reply = await dying
  t.ok(reply.status === 503 || reply.status === 200, `${reply.status} ${reply.text}`)
  if (reply.status === 503) {
    t.match(reply, { json: { error: /has died; nothing was written, try again/ }, headers: { 'retry-after': '1' } })
    t.strictSame((await server.get(`${path}2`, acme.key)).json, {}, 'nothing was written')
  }
  t.equal((await server.put(`${path}2`, acme.key, body)).status, 200, 'the next one has another thread')
  t.ok(await eventually(() => threads === 2), `${threads} threads`)
})
