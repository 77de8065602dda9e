import t from 'tap'
import { openScene, type Scene } from '../server.ts'

let scene: Scene
const path = '/api/projects/web/bundles/en/common'
const EMPTY = 'W/"0967ef424bce6791893e9a57bb952f80fd536e93"'
const OTHER = `W/"${'0'.repeat(40)}"`

t.before(async () => {
  scene = await openScene(t)
  await scene.server.project(scene.acme.key, 'web')
  await scene.server.must('PUT', path, { key: scene.acme.key, body: { a: 'x' } })
})

const etagOf = async (at = path) => String((await scene.server.get(at, scene.acme.key)).headers.etag)

t.test('returns 304 without a body when If-None-Match names the current entity tag', async t => {
  const { server, acme } = scene
  const reads = [
    '/api/projects',
    '/api/projects/web',
    '/api/projects/web/bundles/en',
    path,
    '/api/projects/web/bundles/en/none',
  ]
  for (const at of reads) {
    const etag = await etagOf(at)
    t.match(etag, /^W\/"[0-9a-f]{40}"$/, at)
    for (const method of ['GET', 'HEAD']) {
      const reply = await server.call(method, at, { key: acme.key, headers: { 'if-none-match': etag } })
      t.equal(reply.status, 304, `${method} ${at}`)
      t.equal(reply.text, '')
      t.equal(reply.headers.etag, etag)
      t.equal(reply.headers['cache-control'], 'private, no-cache')
      t.equal(reply.headers.vary, 'Cookie, X-API-Key')
    }
    const stale = await server.get(at, acme.key, { 'if-none-match': OTHER })
    t.equal(stale.status, 200, `${at}: another tag`)
  }
})

t.test('parses If-None-Match as RFC 9110 defines it', async t => {
  const { server, acme } = scene
  const etag = await etagOf()
  const strong = etag.slice(2)
  const rows: [string, number][] = [
    ['*', 304],
    [strong, 304],
    [`${OTHER}, ${etag}`, 304],
    [`${OTHER} ,${strong},"x"`, 304],
    [`"x, y", ${etag}`, 304],
    ['""', 200],
    ['', 200],
    [strong.slice(1, -1), 200],
    ['W/', 200],
    [`"${'x'.repeat(9_000)}`, 200],
  ]
  for (const [value, status] of rows) {
    t.equal((await server.get(path, acme.key, { 'if-none-match': value })).status, status, value.slice(0, 60))
  }
})

t.test('accepts a write when If-Match is current, and returns 412 with the current entity tag otherwise', async t => {
  const { server, acme } = scene
  const etag = await etagOf()
  const write = (value: string, at = `${path}?dryRun=true`) =>
    server.put(at, acme.key, { a: 'x' }, { 'if-match': value })
  for (const value of ['*', etag, etag.slice(2), `${OTHER}, ${etag}`]) t.equal((await write(value)).status, 200, value)
  for (const value of [OTHER, '"x"', 'garbage', '', etag.slice(3, -1), `${etag.slice(0, -2)}"`]) {
    const reply = await write(value)
    t.equal(reply.status, 412, value)
    t.equal(reply.json.etag, etag, value)
    t.strictSame(Object.keys(reply.json), ['error', 'etag'])
  }
  t.equal(
    (await write('*', '/api/projects/web/bundles/en/none?dryRun=true')).status,
    412,
    '* does not match a missing bundle',
  )
  t.equal((await write(EMPTY, '/api/projects/web/bundles/en/none?dryRun=true')).status, 200)
  t.equal((await write(EMPTY, '/api/projects/web/bundles/fr/none?dryRun=true')).status, 200, 'a missing language')
  t.equal((await write(OTHER, '/api/projects/web/bundles/fr/none?dryRun=true')).json.etag, EMPTY)
})

t.test('returns 412 when a write sends If-None-Match: * for an existing bundle', async t => {
  const { server, acme } = scene
  const write = (at: string, value: string) => server.put(at, acme.key, { a: 'x' }, { 'if-none-match': value })
  t.equal((await write(path, '*')).status, 412, 'an existing bundle')
  t.equal((await write('/api/projects/web/bundles/en/fresh', '*')).status, 200, 'a missing bundle')
  t.equal((await write('/api/projects/web/bundles/en/fresh', '*')).status, 412, 'the second time')
})

t.test('changes nothing when a write of any kind is stale', async t => {
  const { server, acme } = scene
  const before = await server.get(path, acme.key)
  const headers = { 'if-match': OTHER }
  t.equal((await server.put(path, acme.key, { a: 'y', b: 'y' }, headers)).status, 412)
  t.equal((await server.post(path, acme.key, { b: 'y' }, headers)).status, 412)
  t.equal((await server.put(`${path}/a`, acme.key, { value: 'y' }, headers)).status, 412)
  t.equal(
    (await server.put(`${path}/a`, acme.key, { value: '{n, plural, other {x}}' }, headers)).status,
    412,
    'before 422',
  )
  t.equal((await server.get(path, acme.key)).text, before.text)
})

t.test('accepts one of two concurrent writes with the same entity tag', async t => {
  const { server, acme } = scene
  for (let round = 0; round < 10; round++) {
    const etag = await etagOf()
    const write = (value: string) => server.put(`${path}/race`, acme.key, { value }, { 'if-match': etag })
    const answers = await Promise.all([write(`left ${round}`), write(`right ${round}`)])
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 412])
    const won = answers.find(({ status }) => status === 200)!
    const lost = answers.find(({ status }) => status === 412)!
    t.equal(lost.json.etag, won.headers.etag, 'the loser receives the entity tag of the winner')
    t.equal((await server.get(path, acme.key)).json.race, won.json.message)
  }
})
