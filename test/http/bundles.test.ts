import t, { type Test } from 'tap'
import { openScene, type Reply, runRows, type Scene } from './server.ts'

let scene: Scene
const web = '/api/projects/web/bundles'

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  await server.project(acme.key, 'web')
  const push = (at: string, body: unknown) => server.must('PUT', `${web}/${at}`, { key: acme.key, body })
  await push('en/common', { title: 'Hello', nav: { home: 'Home' }, item_one: 'one', item_other: 'many' })
  await push('en/a-b', { x: 'X' })
  await push('en/a', { place_ordinal_one: 'st', é: 'É' })
  await push('de/common', { title: 'Hallo' })
})

t.test('a namespace', async t => {
  const { server, acme, member, other } = scene
  const GET = { method: 'GET', path: `${web}/en/common`, key: acme.key }
  const canonical =
    '{\n  "item_one": "one",\n  "item_other": "many",\n  "nav": {\n    "home": "Home"\n  },\n  "title": "Hello"\n}\n'
  await runRows(t, server, [
    { ...GET, name: 'nobody', key: '', status: 401 },
    {
      name: 'a member',
      method: 'GET',
      path: GET.path,
      as: member,
      status: 200,
      check: r => t.equal(r.text, canonical),
    },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    {
      ...GET,
      name: 'HEAD',
      method: 'HEAD',
      status: 200,
      check: r => t.equal(r.headers['content-length'], String(canonical.length)),
    },
    { ...GET, name: 'unknown', path: `${web}/en/none`, status: 200, check: r => t.equal(r.text, '{}\n') },
    { ...GET, name: 'of another language only', path: `${web}/de/a`, status: 200, check: r => t.equal(r.text, '{}\n') },
    { ...GET, name: 'an unknown language', path: `${web}/fr/common`, status: 404 },
    { ...GET, name: 'a language in another case', path: `${web}/EN/common`, status: 404 },
    { ...GET, name: 'an unknown project', path: '/api/projects/none/bundles/en/common', status: 404 },
    { ...GET, name: 'no language', path: `${web}/e_n/common`, status: 400 },
    { ...GET, name: 'a reserved namespace', path: `${web}/en/__proto__`, status: 400 },
    { ...GET, name: 'a namespace with a slash', path: `${web}/en/a%2Fb`, status: 400 },
    { ...GET, name: 'out of the project', path: `${web}/en/..%2F..%2Fproject`, status: 400 },
    { ...GET, name: 'as a file', path: `${web}/en/common.json`, status: 400 },
  ])
})

t.test('returns all namespaces of a language as rows', async t => {
  const { server, acme, other } = scene
  const GET = { method: 'GET', path: `${web}/en`, key: acme.key }
  const rows = [
    { key: 'place', namespace: 'a', message: { ordinal: { one: 'st' } } },
    { key: 'é', namespace: 'a', message: 'É' },
    { key: 'x', namespace: 'a-b', message: 'X' },
    { key: 'item', namespace: 'common', message: { cardinal: { one: 'one', other: 'many' } } },
    { key: 'nav.home', namespace: 'common', message: 'Home' },
    { key: 'title', namespace: 'common', message: 'Hello' },
  ]
  const of = (...namespaces: string[]) => rows.filter(row => namespaces.includes(row.namespace))
  const keys = (expected: unknown[]) => (reply: { json: { keys: unknown[] } }) => t.same(reply.json.keys, expected)
  await runRows(t, server, [
    { ...GET, name: 'all', status: 200, check: r => t.strictSame(r.json, { language: 'en', keys: rows }) },
    { ...GET, name: 'again, from memory', status: 200, check: r => t.equal(r.json.keys.length, rows.length) },
    { ...GET, name: 'one namespace', path: `${web}/en?namespace=common`, status: 200, check: keys(of('common')) },
    {
      ...GET,
      name: 'two',
      path: `${web}/en?namespace=common&namespace=a-b`,
      status: 200,
      check: keys([...of('a-b'), ...of('common')]),
    },
    { ...GET, name: 'of another language only', path: `${web}/de?namespace=a`, status: 200, check: keys([]) },
    { ...GET, name: 'an unknown one', path: `${web}/en?namespace=none`, status: 404 },
    { ...GET, name: 'a known and an unknown one', path: `${web}/en?namespace=common&namespace=none`, status: 404 },
    { ...GET, name: 'in another case', path: `${web}/en?namespace=Common`, status: 404 },
    { ...GET, name: 'one that cannot be', path: `${web}/en?namespace=__proto__`, status: 400 },
    {
      ...GET,
      name: 'unknown parameters are ignored',
      path: `${web}/en?ns=common`,
      status: 200,
      check: r => t.equal(r.json.keys.length, rows.length),
    },
    { ...GET, name: 'an unknown language', path: `${web}/fr`, status: 404 },
    { ...GET, name: 'in another case', path: `${web}/De`, status: 404 },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
  ])
})

t.test('uses the blob id as entity tag', async t => {
  const { server, acme } = scene
  await server.commits(acme.id)
  const id = (path: string) => `W/"${server.git(acme.id, 'rev-parse', `HEAD:${path}`).trim()}"`
  const etag = async (path: string) => (await server.get(path, acme.key)).headers.etag
  t.equal(await etag('/api/projects'), id(''))
  t.equal(await etag('/api/projects/web'), id('web'))
  t.equal(await etag(`${web}/en`), id('web/locales/en'))
  t.equal(await etag(`${web}/en/common`), id('web/locales/en/common.json'))
})

t.test('returns an empty source language when it has no file', async t => {
  const { server, acme } = scene
  await server.project(acme.key, 'bare', 'sv')
  const whole = await server.get('/api/projects/bare/bundles/sv', acme.key)
  t.strictSame(whole.json, { language: 'sv', keys: [] })
  t.equal(whole.headers.etag, 'W/"4b825dc642cb6eb9a060e54bf8d69288fbee4904"')
  t.equal((await server.get('/api/projects/bare/bundles/sv/common', acme.key)).text, '{}\n')
})

t.test('omits empty texts when empty=omit', async t => {
  const { server, acme, member, other } = scene
  const { key } = acme
  const at = `${web}/pl/waiting`
  const body = { title: 'Tytuł', home: '', item_one: 'x', item_few: '', nav: { away: '' }, list: ['a', '', 'c'] }
  const pushed = await server.must('PUT', at, { key, body })
  const { revision } = (await server.get('/api/projects/web/history?limit=1', key)).json.revisions[0]
  const left = { item_one: 'x', list: ['a', null, 'c'], title: 'Tytuł' }
  const check = (reply: Reply, t: Test) => {
    t.strictSame(reply.json, left)
    t.equal(reply.text, `${JSON.stringify(left, null, 2)}\n`)
  }
  const GET = { method: 'GET', path: `${at}?empty=omit`, key }
  await runRows(t, server, [
    { ...GET, name: 'nobody', key: '', status: 401 },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    { ...GET, name: 'a token', status: 200, check },
    { ...GET, name: 'a token, a second time', status: 200, check },
    { method: 'GET', path: GET.path, name: 'a member', as: member, status: 200, check },
    { ...GET, name: 'HEAD', method: 'HEAD', status: 200 },
    { ...GET, name: 'as of then', path: `${GET.path}&at=${revision}`, status: 200, check },
    { ...GET, name: 'unknown', path: `${web}/pl/none?empty=omit`, status: 200, check: r => t.equal(r.text, '{}\n') },
    { ...GET, name: 'an unknown language', path: `${web}/fr/common?empty=omit`, status: 404 },
    { ...GET, name: 'another word', path: `${at}?empty=keep`, status: 400 },
    { ...GET, name: 'no word', path: `${at}?empty=`, status: 400 },
    { ...GET, name: 'two of them', path: `${at}?empty=omit&empty=omit`, status: 400 },
  ])
  const { etag = '' } = (await server.get(GET.path, key)).headers
  t.not(etag, pushed.headers.etag, 'the tag differs from that of the file')
  const again = (headers: Record<string, string>) => server.call('GET', GET.path, { key, headers })
  t.equal((await again({ 'if-none-match': etag })).status, 304)
  t.equal((await again({ 'if-none-match': String(pushed.headers.etag) })).status, 200)
  const write = { key, headers: { 'if-match': etag }, body: { value: 'x' } }
  t.equal((await server.call('PUT', `${at}/home`, write)).status, 412, 'the tag matches no write')
  await server.must('PUT', `${at}/home`, { key, body: { value: 'Dom' } })
  t.equal((await again({ 'if-none-match': etag })).json.home, 'Dom', 'a new translation appears at once')
  t.equal((await server.get(`${GET.path}&at=${revision}`, key)).json.home, undefined)
})

t.test('omits empty texts of a large bundle', async t => {
  const { server, acme } = scene
  const { key } = acme
  const body = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [`key${n}`, n % 2 ? '' : `text ${n}`.repeat(12)]),
  )
  await server.must('PUT', `${web}/pl/large`, { key, body })
  const reply = await server.get(`${web}/pl/large?empty=omit`, key)
  t.strictSame(reply.json, Object.fromEntries(Object.entries(body).filter(([, text]) => text !== '')))
})
