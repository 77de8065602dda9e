/** Reads of past states, by every name of a state. */
import t, { type Test } from 'tap'
import { git, noGit } from '../git-client.ts'
import { type Organization, type Reply, type Row, runRows, type Server, startServer } from '../server.ts'

if (noGit) {
  t.plan(0, noGit)
  process.exit(0)
}

const IMMUTABLE = 'private, max-age=31536000, immutable'
const REVALIDATED = 'private, no-cache'
const web = '/api/projects/web'
const common = `${web}/bundles/de/common`
/** Each write is a minute after the one before. */
const clock = { now: Date.parse('2026-11-20T10:00:00Z') }

let server: Server
let acme: Organization
let other: Organization
/** The revisions of Acme, oldest first: project, de "eins", de "zwei" with a new namespace, flat, project gone. */
let revisions: string[]

const write = (method: string, path: string, body?: unknown) => {
  clock.now += 60_000
  return server.must(method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })
}

t.before(async () => {
  server = await startServer(t, { now: () => clock.now })
  acme = await server.organization('Ann')
  other = await server.organization('Otto')
  await write('POST', '/api/projects', { slug: 'web', name: 'Web', sourceLanguage: 'en' })
  await write('PUT', common, { a: { b: 'eins' } })
  await write('PUT', `${common}/a.b`, { value: 'zwei' })
  await write('PUT', `${web}/bundles/de/home`, { title: 'Heim' })
  await write('PATCH', web, { defaultFormat: 'i18next-json-flat' })
  await write('DELETE', web)
  await server.project(other.key, 'web')
  await server.commits(acme.id)
  revisions = server.git(acme.id, 'rev-list', '--reverse', 'main').trim().split('\n')
  const tag = (...argv: string[]) =>
    git(['-C', server.repository(acme.id), '-c', 'user.name=Bob', '-c', 'user.email=b@example.com', 'tag', ...argv])
  await tag('-a', '-m', 'm', 'web/v1', revisions[1]!)
  await tag('light', revisions[2]!)
})

const REFUSED = /names no state/
const at = (value: string) => `?at=${encodeURIComponent(value)}`
const text = (expected: string) => (reply: Reply, t: Test) => t.equal(reply.text, expected)
const cached = (value: string) => (reply: Reply, t: Test) => {
  t.equal(reply.headers['cache-control'], value)
  t.equal(reply.headers.vary, 'Cookie, X-API-Key')
}

t.test('returns a past namespace by revision, tag and time', async t => {
  const eins = text('{\n  "a": {\n    "b": "eins"\n  }\n}\n')
  const zwei = text('{\n  "a": {\n    "b": "zwei"\n  }\n}\n')
  const [made, first, second, third, flat, gone] = revisions as [string, string, string, string, string, string]
  const GET = { method: 'GET', key: acme.key }
  const read = (value: string, status: number, check?: Row['check'], more = {}): Row => ({
    ...GET,
    name: value,
    path: common + at(value),
    status,
    ...(check && { check }),
    ...more,
  })
  await runRows(t, server, [
    { ...GET, name: 'now', path: common, status: 404 },
    read(first, 200, eins),
    read(first.toUpperCase(), 200, eins),
    read(first.slice(0, 12), 200, eins),
    read(second, 200, zwei),
    read(flat, 200, text('{\n  "a.b": "zwei"\n}\n')),
    read(`${second}^`, 200, eins),
    read(`${second.slice(0, 12)}^`, 200, eins),
    read('light^', 200, eins),
    read(`${made}^`, 404, (r, t) => t.match(r.json.error, 'no project "web"')),
    read('v1', 200, eins),
    read('web/v1', 200, eins),
    read('light', 200, zwei),
    read('2026-11-20T10:02:00Z', 200, eins),
    read('2026-11-20T10:02:59.9Z', 200, eins),
    read('2026-11-20T12:03:00+02:00', 200, zwei),
    { ...read('a plus that became a space', 200, zwei), path: `${common}?at=2026-11-20T12:03:00+02:00` },
    read('2026-11-20', 404),
    read('2026-11-20T10:01:00Z', 404, (r, t) => t.match(r.json.error, 'no language "de"')),
    read('2026-11-20T09:00:00Z', 404, (r, t) => t.match(r.json.error, 'no project "web"')),
    read('2999-01-01', 404, (r, t) => t.match(r.json.error, 'no project "web"')),
    read(made, 404, cached(REVALIDATED)),
    read(gone, 404, cached(REVALIDATED)),
    read(third, 200, cached(IMMUTABLE)),
    read(third.slice(0, 39), 200, cached(REVALIDATED)),
    read('v1', 200, cached(REVALIDATED)),
    read('2026-11-20T10:02:00Z', 200, cached(REVALIDATED)),
    { ...read('HEAD', 200, cached(IMMUTABLE)), method: 'HEAD', path: common + at(first) },
    { ...read('a namespace of later', 200, text('{}\n')), path: `${web}/bundles/de/home${at(first)}` },
    { ...read('nobody', 401), key: 'prl_none' },
    { ...read('as a parameter twice', 400), path: `${common}?at=${first}&at=${first}` },
    { ...read('a bad language', 400), path: `${web}/bundles/e_n/common${at(first)}` },
    { ...read('a bad slug before all else', 400), path: `/api/projects/a..b/bundles/de/common${at('none')}` },
    { ...read('an unknown project', 404), path: `/api/projects/none/bundles/de/common${at(first)}` },
    ...['none', 'main', 'HEAD', '1234567', '0'.repeat(40), 'ios/v1'].map(value =>
      read(value, 404, cached(REVALIDATED)),
    ),
    ...[
      '',
      ' ',
      'HEAD~1',
      'a..b',
      '^x',
      'a b',
      'a\n',
      '../x',
      ':/foo',
      '@{1}',
      '-x',
      '^',
      `${'a'.repeat(40)}^^`,
      'x'.repeat(300),
    ].map(value => read(value, 400, (reply, t) => t.match(reply.json.error, REFUSED))),
    read('2026-02-31', 400),
    read('2026-11-20T10:02', 400),
  ])
})

t.test('returns 404 for the states of another organization', async t => {
  const { key } = other
  const unknown = async (value: string) => server.get(`${web}/bundles/en/common${at(value)}`, key)
  const nobodys = await unknown('0'.repeat(40))
  for (const value of [revisions[1]!, revisions[1]!.slice(0, 10), 'v1', 'web/v1', 'light']) {
    const reply = await unknown(value)
    t.equal(reply.status, 404, value)
    t.equal(reply.text.replace(value, '0'.repeat(40)), nobodys.text, value)
    const { date: _, 'content-length': __, ...headers } = reply.headers
    const { date: ___, 'content-length': ____, ...theirs } = nobodys.headers
    t.strictSame(headers, theirs, value)
  }
})

t.test('returns 304 for past states', async t => {
  for (const path of [common, `${web}/bundles/de`, web, '/api/projects']) {
    for (const value of [revisions[2]!, 'light']) {
      const { headers } = await server.get(path + at(value), acme.key)
      t.match(headers.etag, /^W\/"[0-9a-f]{40}"$/)
      const again = await server.get(path + at(value), acme.key, { 'if-none-match': headers.etag! })
      t.equal(again.status, 304, `${path} ${value}`)
      t.equal(again.text, '')
      t.equal(again.headers['cache-control'], value === 'light' ? REVALIDATED : IMMUTABLE)
    }
  }
})

t.test('returns past languages, manifests and projects', async t => {
  const json = (expected: unknown) => (reply: Reply, t: Test) => t.strictSame(reply.json, expected)
  const [made, first, , third, flat, gone] = revisions as [string, string, string, string, string, string]
  const rows = [
    { key: 'a.b', namespace: 'common', message: 'zwei' },
    { key: 'title', namespace: 'home', message: 'Heim' },
  ]
  const manifest = { defaultFormat: 'i18next-json', sourceLanguage: 'en', languages: ['en'], namespaces: [] }
  const project = { slug: 'web', name: 'Web', sourceLanguage: 'en', defaultFormat: 'i18next-json' }
  const read = (path: string, value: string, status: number, check?: Row['check']): Row => ({
    name: `${path} ${value}`,
    method: 'GET',
    key: acme.key,
    path: path + at(value),
    status,
    ...(check && { check }),
  })
  const de = `${web}/bundles/de`
  await runRows(t, server, [
    read(de, third, 200, json({ language: 'de', keys: rows })),
    read(de, flat, 200, json({ language: 'de', keys: rows })),
    read(de, 'v1', 200, json({ language: 'de', keys: [{ ...rows[0], message: 'eins' }] })),
    { ...read(de, third, 200, json({ language: 'de', keys: [rows[1]] })), path: `${de}?namespace=home&at=${third}` },
    { ...read(de, 'a namespace of later', 404), path: `${de}?namespace=home&at=${first}` },
    read(de, made, 404),
    read(de, gone, 404),
    read(`${web}/bundles/en`, made, 200, json({ language: 'en', keys: [] })),
    read(web, made, 200, json(manifest)),
    read(web, third, 200, json({ ...manifest, languages: ['de', 'en'], namespaces: ['common', 'home'] })),
    read(web, flat, 200, (r, t) => t.equal(r.json.defaultFormat, 'i18next-json-flat')),
    read(web, gone, 404),
    read(web, 'v1', 200, cached(REVALIDATED)),
    read(web, 'HEAD~1', 400),
    read('/api/projects', made, 200, json({ projects: [project] })),
    read('/api/projects', gone, 200, json({ projects: [] })),
    read('/api/projects', 'web/v1', 200, json({ projects: [project] })),
    read('/api/projects', 'v1', 404),
    read('/api/projects', '2026-11-20', 200, json({ projects: [] })),
    read('/api/projects', made, 200, cached(IMMUTABLE)),
  ])
})

t.test('returns 400 when a write has the parameter at', async t => {
  const { key } = acme
  const value = at(revisions[1]!)
  await runRows(t, server, [
    {
      name: 'create',
      method: 'POST',
      path: `/api/projects${value}`,
      body: { slug: 'x', name: 'X', sourceLanguage: 'en' },
      key,
      status: 400,
    },
    ...[
      { method: 'PATCH', path: web, body: { name: 'X' } },
      { method: 'DELETE', path: web },
      { method: 'POST', path: common, body: { x: 'x' } },
      { method: 'PUT', path: common, body: { x: 'x' } },
      { method: 'DELETE', path: common },
      { method: 'PUT', path: `${common}/x`, body: { value: 'x' } },
      { method: 'DELETE', path: `${common}/x` },
      { method: 'POST', path: `${web}/rename-key`, body: { namespace: 'common', from: 'a', to: 'b' } },
    ].map(row => ({ ...row, name: `${row.method} ${row.path}`, path: row.path + value, key, status: 400 })),
  ])
})
