import t from 'tap'
import { openScene, type Reply, type Row, runRows, type Scene, segment } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const NOBODYS = '1234567812345678123456781234567812345678'
const ITEM = { cardinal: { one: '1', other: 'n' }, ordinal: { two: '2nd' } }

t.test('returns one key, and refuses other roles and unknown keys', async t => {
  const { server, acme, other, member, stranger, reader } = scene
  const web = await server.project(acme.key, 'web')
  const common = `${web}/bundles/en/common`
  const body = {
    item_one: '1',
    item_other: 'n',
    item_ordinal_two: '2nd',
    nav: { home: 'h', 'a/b': 's' },
    list: ['p', 'q'],
  }
  await server.must('PUT', common, { key: acme.key, body })
  await server.must('PUT', `${web}/bundles/de/home`, { key: acme.key, body: { a: 'x' } })
  const { etag = '' } = (await server.get(common, acme.key)).headers
  const first = (await server.get(`${web}/history?language=en`, acme.key)).json.revisions[0].revision
  const GET = (name: string, status: number, path: string, more: Partial<Row> = {}): Row => ({
    name,
    method: 'GET',
    path: path.startsWith('/') ? path : `${common}/${path}`,
    key: acme.key,
    status,
    ...more,
  })
  const says = (pattern: RegExp) => (reply: Reply) => t.match(reply.json.error, pattern)
  const gives = (key: string, message: unknown) => (reply: Reply) => {
    t.strictSame(reply.json, { key, namespace: 'common', message })
    t.equal(reply.headers.etag, etag, 'the ETag of the bundle')
    t.equal(reply.headers['cache-control'], 'private, no-cache')
    t.match(reply.headers['content-type'], /^application\/json/)
  }
  await runRows(t, server, [
    GET('nobody', 401, 'item', { key: undefined }),
    GET('a member of nothing', 403, 'item', { key: undefined, as: stranger }),
    GET('another organization', 404, 'item', { key: other.key, check: says(/^There is no project "web"\.$/) }),
    GET('a project that is not there', 404, '/api/projects/none/bundles/en/common/a'),
    GET('a language that is not there', 404, `${web}/bundles/fr/common/a`, { check: says(/no language "fr"/) }),
    GET('a bundle that is not there', 404, `${web}/bundles/de/common/a`, { check: says(/no key or form "a"/) }),
    GET('a key that is not there', 404, 'none', { check: says(/"common" in "en" has no key or form "none"/) }),
    GET('a form of no key', 404, 'none_one'),
    GET('an object is no key', 404, 'nav'),
    GET('a key in another case', 404, 'Item'),
    GET('a property of any object', 404, 'constructor'),
    GET('one that is not there, with the tag of the bundle', 404, 'none', { headers: { 'if-none-match': etag } }),
    GET('one that is not there, with any tag', 404, 'none', { headers: { 'if-none-match': '*' } }),
    GET('a key that cannot be', 400, 'a%00'),
    GET('one that is too long', 400, 'x'.repeat(1_025)),
    GET('an empty one', 400, ''),
    GET('a bad slug', 400, '/api/projects/a..b/bundles/en/common/a'),
    GET('a bad language', 400, `${web}/bundles/d_e/common/a`),
    GET('a bad namespace', 400, `${web}/bundles/en/con/a`),
    GET('no state', 400, 'item?at=HEAD~1'),
    GET('an unknown state', 404, `item?at=${NOBODYS}`),
    GET('before it was', 404, 'item?at=2001-01-01'),
    GET('another method', 405, 'item', {
      method: 'PATCH',
      check: ({ headers }) => t.equal(headers.allow, 'GET, HEAD, PUT, DELETE'),
    }),
    GET('a plural', 200, 'item', { check: gives('item', ITEM) }),
    GET('a form: the whole message', 200, 'item_one', { check: gives('item', ITEM) }),
    GET('a form that it lacks', 200, 'item_few', { check: gives('item', ITEM) }),
    GET('an ordinal form', 200, 'item_ordinal_two', { check: gives('item', ITEM) }),
    GET('a text below others', 200, 'nav.home', { check: gives('nav.home', 'h') }),
    GET('a slash', 200, segment('nav.a/b'), { check: gives('nav.a/b', 's') }),
    GET('an item', 200, 'list.1', { check: gives('list.1', 'q') }),
    GET('by a token that reads', 200, 'item', { key: reader, check: gives('item', ITEM) }),
    GET('by a member', 200, 'item', { key: undefined, as: member, check: gives('item', ITEM) }),
    GET('again, from the cache', 200, 'item', { check: gives('item', ITEM) }),
    GET('unknown parameters are ignored', 200, 'item?x=y', { check: gives('item', ITEM) }),
    GET('unchanged', 304, 'item', { headers: { 'if-none-match': etag }, check: ({ text }) => t.equal(text, '') }),
    GET('unchanged, asked for the first time', 304, 'list.0', { headers: { 'if-none-match': etag } }),
    GET('another tag', 200, 'item', { headers: { 'if-none-match': 'W/"0"' }, check: gives('item', ITEM) }),
    GET('without a body', 200, 'item', {
      method: 'HEAD',
      check: ({ text, headers }) => t.strictSame([text, headers.etag], ['', etag]),
    }),
    GET('for ever', 200, `nav.home?at=${first}`, {
      check: ({ json, headers }) => {
        t.equal(json.message, 'h')
        t.equal(headers['cache-control'], 'private, max-age=31536000, immutable')
      },
    }),
    GET('a failure is not for ever', 404, `none?at=${first}`, {
      check: ({ headers }) => t.equal(headers['cache-control'], 'private, no-cache'),
    }),
    GET('to another origin', 200, 'item', {
      headers: { origin: 'https://app.example.com' },
      check: ({ headers }) => t.equal(headers['access-control-allow-origin'], '*'),
    }),
  ])
})

t.test('returns a written key at once with the entity tag of the write', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'fresh')
  const path = `${web}/bundles/en/common/nav.home`
  t.equal((await server.get(path, acme.key)).status, 404)
  for (const value of ['one', 'two', '']) {
    const put = await server.put(path, acme.key, { value })
    const reply = await server.get(path, acme.key)
    t.strictSame(reply.json, put.json, 'as the write answered')
    t.equal(reply.headers.etag, put.headers.etag)
    const tag = { 'if-none-match': String(put.headers.etag) }
    t.equal((await server.get(path, acme.key, tag)).status, 304)
  }
  const { etag = '' } = (await server.get(path, acme.key)).headers
  await server.put(`${web}/bundles/en/common/other`, acme.key, { value: 'x' })
  t.equal((await server.get(path, acme.key, { 'if-none-match': etag })).status, 200, 'the bundle is another one')
  const gone = await server.call('DELETE', path, { key: acme.key })
  t.equal((await server.get(path, acme.key, { 'if-none-match': String(gone.headers.etag) })).status, 404)
  const at = (await server.get(`${web}/history`, acme.key)).json.revisions[1].revision
  t.equal((await server.get(`${path}?at=${at}`, acme.key)).json.message, '')
})

t.test('returns the keys of the right namespace when two bundles are equal', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'twins')
  for (const namespace of ['one', 'two']) {
    await server.must('PUT', `${web}/bundles/en/${namespace}`, { key: acme.key, body: { a: 'x' } })
  }
  for (const namespace of ['one', 'two', 'one']) {
    t.equal((await server.get(`${web}/bundles/en/${namespace}/a`, acme.key)).json.namespace, namespace)
  }
})

t.test('reads a key of a large bundle in the worker', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'large')
  const body = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`key${at}`, `${at} ${'long '.repeat(30)}`]))
  const { headers } = await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body })
  const path = `${web}/bundles/en/common`
  const at = (await server.get(`${web}/history`, acme.key)).json.revisions[0].revision
  for (const query of ['', '', `?at=${at}`]) {
    const reply = await server.get(`${path}/key8999${query}`, acme.key)
    t.equal(reply.json.message, body.key8999)
    t.equal(reply.headers.etag, headers.etag)
    t.equal((await server.get(`${path}/none${query}`, acme.key)).status, 404)
  }
})
