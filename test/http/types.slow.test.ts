import t, { type Test } from 'tap'
import { openScene, type Reply, runRows, type Scene } from './server.ts'

let scene: Scene
const web = '/api/projects/web'
const path = `${web}/types.d.ts`

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  await server.project(acme.key, 'web')
  const push = (at: string, body: unknown) => server.must('PUT', `${web}/bundles/${at}`, { key: acme.key, body })
  await push('en/common', { title: 'Hello' })
  await push('en/home', { welcome: 'Welcome {{name}}' })
  await push('de/common', { title: 'Hallo' })
  await push('de/only', { a: 'x' })
})

t.test('returns the types of a project', async t => {
  const { server, acme, member, reader, other, stranger } = scene
  const GET = { method: 'GET', path, key: acme.key }
  const has =
    (...texts: (string | RegExp)[]) =>
    (reply: Reply, t: Test) => {
      for (const text of texts) t.match(reply.text, text)
    }
  const all = has('      "common": {\n        "title": "Hello"\n      }\n', '"welcome": "Welcome {{name}}"')
  const lacks = (text: string) => (reply: Reply, t: Test) => t.notMatch(reply.text, text)
  await runRows(t, server, [
    { ...GET, name: 'nobody', key: '', status: 401 },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    { name: 'a stranger', method: 'GET', path, as: stranger, status: 403 },
    { ...GET, name: 'a token', status: 200, check: all },
    { ...GET, name: 'a token, a second time', status: 200, check: all },
    { ...GET, name: 'a token that reads', key: reader, status: 200, check: all },
    { name: 'a member', method: 'GET', path, as: member, status: 200, check: all },
    { ...GET, name: 'HEAD', method: 'HEAD', status: 200 },
    {
      ...GET,
      name: 'as plain text',
      status: 200,
      check: r => t.equal(r.headers['content-type'], 'text/plain; charset=utf-8'),
    },
    { ...GET, name: 'other languages do not matter', status: 200, check: lacks('Hallo') },
    { ...GET, name: 'several namespaces with the usual default', status: 200, check: has('defaultNS: "common"') },
    { ...GET, name: 'a default', path: `${path}?defaultNS=home`, status: 200, check: has('defaultNS: "home"') },
    { ...GET, name: 'a namespace', path: `${path}?namespace=home`, status: 200, check: lacks('title') },
    {
      ...GET,
      name: 'the only one is the default',
      path: `${path}?namespace=home`,
      status: 200,
      check: has('defaultNS: "home"'),
    },
    { ...GET, name: 'two namespaces', path: `${path}?namespace=home&namespace=common`, status: 200, check: all },
    {
      ...GET,
      name: 'of another language only',
      path: `${path}?namespace=only`,
      status: 200,
      check: has('resources: {\n      "translation": {}\n    }', 'defaultNS: "translation"'),
    },
    { ...GET, name: 'an unknown namespace', path: `${path}?namespace=none`, status: 404 },
    { ...GET, name: 'an unknown default', path: `${path}?defaultNS=none`, status: 404 },
    { ...GET, name: 'a default that is not shown', path: `${path}?namespace=home&defaultNS=common`, status: 404 },
    { ...GET, name: 'a reserved namespace', path: `${path}?namespace=__proto__`, status: 400 },
    { ...GET, name: 'a reserved default', path: `${path}?defaultNS=__proto__`, status: 400 },
    { ...GET, name: 'two defaults', path: `${path}?defaultNS=home&defaultNS=common`, status: 400 },
    { ...GET, name: 'an unknown project', path: '/api/projects/none/types.d.ts', status: 404 },
    { ...GET, name: 'an unknown state', path: `${path}?at=${'0'.repeat(40)}`, status: 404 },
    { ...GET, name: 'empty texts are not asked about', path: `${path}?empty=omit`, status: 200, check: all },
    { ...GET, name: 'a write', method: 'PUT', body: {}, status: 405 },
  ])
})

t.test('changes the entity tag with the source texts and settings only', async t => {
  const { server, acme } = scene
  const { key } = acme
  const ask = (path: string, etag?: string) =>
    server.call('GET', path, { key, headers: etag === undefined ? {} : { 'if-none-match': etag } })
  const before = await ask(path)
  const { etag = '' } = before.headers
  const { revision } = (await server.get(`${web}/history?limit=1`, key)).json.revisions[0]
  t.equal((await ask(path, etag)).status, 304)
  t.equal((await ask(`${path}?defaultNS=home`, etag)).status, 200)
  await server.must('PUT', `${web}/bundles/de/common`, { key, body: { more: 'Mehr' } })
  t.equal((await ask(path, etag)).status, 304, 'another language')
  await server.must('PUT', `${web}/bundles/en/translation`, { key, body: { more: 'More' } })
  const after = await ask(path, etag)
  t.match(after.text, 'defaultNS: "translation"', "i18next's own default")
  const then = await ask(`${path}?at=${revision}`)
  t.equal(then.text, before.text)
  t.match(then.headers['cache-control'], 'immutable')
  await server.must('PATCH', web, { key, body: { defaultFormat: 'i18next-json-flat' } })
  t.match((await ask(path, String(after.headers.etag))).text, 'keySeparator: false')
})

t.test('returns large types, and refuses too large ones', async t => {
  const { server, acme } = scene
  const { key } = acme
  await server.project(key, 'large')
  const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key${n}`, `text ${n} of {{name}}`]))
  await server.must('PUT', '/api/projects/large/bundles/en/n0', { key, body })
  const types = await server.get('/api/projects/large/types.d.ts', key)
  t.match(types.text, '        "key19999": "text 19999 of {{name}}"\n')
  const long = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`key${n}`, 'x'.repeat(99_000)]))
  for (const name of ['n1', 'n2', 'n3']) {
    await server.must('PUT', `/api/projects/large/bundles/en/${name}`, { key, body: long })
  }
  const refused = await server.get('/api/projects/large/types.d.ts', key)
  t.equal(refused.status, 422)
  t.match(refused.json.error, /16 MiB.*namespace/)
})
