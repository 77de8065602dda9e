/** Releases over HTTP and in clones. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { git, must, noGit } from './git-client.ts'
import { openScene, type Reply, type Row, runRows, type Scene, startServer } from './server.ts'

if (noGit) {
  t.plan(0, noGit)
  process.exit(0)
}

const web = '/api/projects/web'
const url = `${web}/releases`
let scene: Scene

t.before(async () => {
  scene = await openScene(t)
  const { server, acme, other } = scene
  await server.project(acme.key, 'web')
  await server.project(other.key, 'web')
  await server.project(other.key, 'secret')
})
t.beforeEach(t => {
  t.testdir()
})

const put = (value: string) =>
  scene.server.must('PUT', `${web}/bundles/en/common/title`, { key: scene.acme.key, body: { value } })
const title = async (at: string) =>
  (await scene.server.get(`${web}/bundles/en/common?at=${at}`, scene.acme.key)).json?.title
const release = async (name: string) =>
  (await scene.server.must('POST', url, { key: scene.acme.key, body: { name } })).json
const cloneUrl = () => `${scene.server.base.replace('http://', `http://x:${scene.acme.key}@`)}/api/translations.git`
const inRepository = (...argv: string[]) => scene.server.git(scene.acme.id, ...argv)

t.test('refuses other roles and wrong requests', async t => {
  const { server, acme, admin, member, reader, other, stranger } = scene
  await put('one')
  const POST = { method: 'POST', path: url }
  const DELETE = { method: 'DELETE' }
  const made = { name: 'v1', createdBy: { name: member.user.name, email: member.user.email } }
  const headOf = (r: Reply, t: Test) => t.match(r.json.revision, /^[0-9a-f]{40}$/)
  await runRows(t, server, [
    { ...POST, name: 'nobody', body: { name: 'v1' }, status: 401 },
    { ...POST, name: 'a member of nothing', as: stranger, body: { name: 'v1' }, status: 403 },
    { ...POST, name: 'a token that reads, with any body', key: reader, body: '{', status: 403 },
    {
      ...POST,
      name: 'a member',
      as: member,
      body: { name: 'v1' },
      status: 201,
      check: (r, t) => {
        headOf(r, t)
        t.match(r.json, made)
        t.strictSame(Object.keys(r.json), ['name', 'revision', 'createdAt', 'createdBy'])
        t.equal(r.json.createdAt, new Date(r.json.createdAt).toISOString())
        t.equal(new URL(String(r.headers.location), `http://x${url}`).pathname, `${url}/v1`)
        t.equal(r.headers['cache-control'], 'private, no-cache')
      },
    },
    {
      ...POST,
      name: 'again',
      as: member,
      body: { name: 'v1' },
      status: 409,
      check: (r, t) => t.match(r.json.error, '"v1"'),
    },
    {
      ...POST,
      name: 'but for case',
      as: member,
      body: { name: 'V1' },
      status: 409,
      check: (r, t) => t.match(r.json.error, '"web/v1"'),
    },
    {
      ...POST,
      name: 'a token',
      key: acme.key,
      body: { name: 'v1.1' },
      status: 201,
      check: (r, t) => t.equal(r.json.createdBy.name, 'ci'),
    },
    { ...POST, name: 'another organization has names of its own', key: other.key, body: { name: 'v1' }, status: 201 },
    {
      ...POST,
      name: 'an unknown project',
      path: '/api/projects/none/releases',
      key: acme.key,
      body: { name: 'v1' },
      status: 404,
    },
    {
      ...POST,
      name: "another organization's",
      path: '/api/projects/secret/releases',
      key: acme.key,
      body: { name: 'v1' },
      status: 404,
    },
    {
      ...POST,
      name: 'a bad slug',
      path: '/api/projects/a..b/releases',
      key: acme.key,
      body: { name: 'v1' },
      status: 400,
    },
    ...[
      '',
      '-v',
      'v/1',
      'a b',
      'a..b',
      'v.lock',
      'v.json',
      'con',
      '__proto__',
      'v1.',
      'ü',
      'x'.repeat(65),
      '0'.repeat(40),
      'A'.repeat(40),
    ].map((name): Row => ({ ...POST, name: `name ${name}`, key: acme.key, body: { name }, status: 400 })),
    { ...POST, name: 'no name', key: acme.key, body: {}, status: 400 },
    { ...POST, name: 'a number', key: acme.key, body: { name: 1 }, status: 400 },
    {
      ...POST,
      name: 'more',
      key: acme.key,
      body: { name: 'v2', revision: 'x' },
      status: 400,
      check: (r, t) => t.match(r.json.error, '"revision"'),
    },
    { ...POST, name: 'an unknown parameter', path: `${url}?at=v1`, key: acme.key, body: { name: 'v2' }, status: 400 },
    { ...POST, name: 'no JSON', key: acme.key, body: 'v2', status: 400 },
    {
      ...POST,
      name: 'another type',
      key: acme.key,
      body: '{}',
      headers: { 'content-type': 'text/plain' },
      status: 415,
    },
    { ...POST, name: 'too large', key: acme.key, body: { name: 'x'.repeat(20_000) }, status: 413 },
    {
      name: 'list',
      method: 'GET',
      path: url,
      as: member,
      status: 200,
      check: (r, t) => t.strictSame(names(r), ['v1.1', 'v1']),
    },
    { name: 'list, reading', method: 'GET', path: url, key: reader, status: 200 },
    { name: 'list, nobody', method: 'GET', path: url, status: 401 },
    { name: 'HEAD', method: 'HEAD', path: url, key: reader, status: 200 },
    {
      name: 'list of an unknown project',
      method: 'GET',
      path: '/api/projects/none/releases',
      key: reader,
      status: 404,
    },
    {
      name: "list of another organization's",
      method: 'GET',
      path: '/api/projects/secret/releases',
      key: reader,
      status: 404,
    },
    { name: 'one', method: 'GET', path: `${url}/v1`, key: reader, status: 200, check: (r, t) => t.match(r.json, made) },
    { name: 'none', method: 'GET', path: `${url}/v2`, key: reader, status: 404 },
    { name: 'a prefix', method: 'GET', path: `${url}/v`, key: reader, status: 404 },
    { name: 'a bad name', method: 'GET', path: `${url}/a..b`, key: reader, status: 400 },
    { name: 'another method', method: 'PUT', path: `${url}/v1`, key: acme.key, body: {}, status: 405 },
    { ...DELETE, name: 'delete, nobody', path: `${url}/v1`, status: 401 },
    { ...DELETE, name: 'delete, a member', path: `${url}/v1`, as: member, status: 403 },
    { ...DELETE, name: 'delete, a reader', path: `${url}/v1`, key: reader, status: 403 },
    { ...DELETE, name: 'delete, an unknown parameter', path: `${url}/v1?force=true`, as: admin, status: 400 },
    {
      ...DELETE,
      name: 'delete, an admin',
      path: `${url}/v1`,
      as: admin,
      status: 204,
      check: (r, t) => t.equal(r.text, ''),
    },
    { ...DELETE, name: 'delete again', path: `${url}/v1`, as: admin, status: 404 },
    { ...DELETE, name: 'delete, a token', path: `${url}/v1.1`, key: acme.key, status: 204 },
    { ...DELETE, name: 'delete, unknown', path: `${url}/v9`, as: acme.owner, status: 404 },
    {
      ...DELETE,
      name: "delete, another organization's",
      path: '/api/projects/secret/releases/v1',
      as: acme.owner,
      status: 404,
    },
    { ...DELETE, name: 'delete, a bad name', path: `${url}/-x`, as: acme.owner, status: 400 },
    { name: 'gone', method: 'GET', path: `${url}/v1`, key: reader, status: 404 },
    {
      name: 'gone from the list',
      method: 'GET',
      path: url,
      key: reader,
      status: 200,
      check: (r, t) => t.strictSame(names(r), []),
    },
    { name: "the other organization's stays", method: 'GET', path: `${url}/v1`, key: other.key, status: 200 },
  ])
  const unknown = await server.get('/api/projects/none/releases/v1', acme.key)
  const theirs = await server.get('/api/projects/secret/releases/v1', acme.key)
  t.equal(unknown.text.replace('none', 'secret'), theirs.text, "unknown and another organization's: the same words")
})

const names = (reply: Reply) => reply.json.releases.map(({ name }: { name: string }) => name)

t.test('returns the released state after later writes', async t => {
  const { server, acme } = scene
  await put('stable')
  const stable = await release('stable')
  await put('later')
  t.equal(await title('stable'), 'stable')
  t.equal(await title('web/stable'), 'stable')
  t.equal(await title(stable.revision), 'stable')
  const { headers } = await server.get(`${web}/bundles/en/common?at=stable`, acme.key)
  t.equal(headers['cache-control'], 'private, no-cache')
  const again = await server.get(`${web}/bundles/en/common?at=stable`, acme.key, { 'if-none-match': headers.etag! })
  t.equal(again.status, 304)
  t.equal((await server.get(`/api/projects?at=web/stable`, acme.key)).status, 200)
  t.equal((await server.get(`/api/projects?at=stable`, acme.key)).status, 404)
  t.equal((await server.get(`${web}/bundles/en/common?at=stable`, scene.other.key)).status, 404)
})

t.test('lists the newest releases first, even within one second', async t => {
  const { server, acme } = scene
  const order = ['beta', 'alpha', 'c', 'b10', 'b9']
  for (const name of order) await release(name)
  const { json } = await server.get(url, acme.key)
  const mine = json.releases.filter(({ name }: { name: string }) => order.includes(name))
  t.strictSame(
    mine.map(({ name }: { name: string }) => name),
    [...order].reverse(),
  )
  const listed = inRepository('for-each-ref', '--sort=-creatordate', '--format=%(refname:lstrip=3)', 'refs/tags/web')
  t.strictSame(
    listed
      .trim()
      .split('\n')
      .filter(name => order.includes(name)),
    [...order].reverse(),
    'for git too',
  )
})

t.test('changes the entity tag of the list with each release', async t => {
  const { server, acme } = scene
  const before = await server.get(url, acme.key)
  t.equal((await server.get(url, acme.key, { 'if-none-match': before.headers.etag! })).status, 304)
  await release('tagged')
  const after = await server.get(url, acme.key, { 'if-none-match': before.headers.etag! })
  t.equal(after.status, 200)
  const one = await server.get(`${url}/tagged`, acme.key)
  t.equal(one.headers.etag, `W/"${inRepository('rev-parse', 'web/tagged').trim()}"`)
  t.equal((await server.get(`${url}/tagged`, acme.key, { 'if-none-match': one.headers.etag! })).status, 304)
  await server.must('DELETE', `${url}/tagged`, { key: acme.key })
  t.equal((await server.get(url, acme.key)).headers.etag, before.headers.etag, 'as it was before')
})

t.test('returns 409 when a name belongs to another revision', async t => {
  const { server, acme } = scene
  await put('first')
  const first = await release('once')
  await server.must('DELETE', `${url}/once`, { key: acme.key })
  t.equal((await server.get(`${web}/bundles/en/common?at=once`, acme.key)).status, 404)
  const restored = await server.call('POST', url, { as: scene.member, body: { name: 'once' } })
  t.equal(restored.status, 201)
  t.strictSame(restored.json, first, 'the same revision returns the same release')
  await server.must('DELETE', `${url}/once`, { key: acme.key })
  await put('second')
  const refused = await server.post(url, acme.key, { name: 'once' })
  t.equal(refused.status, 409)
  t.match(refused.json.error, /of another revision/)
  t.match(refused.json.error, /clones that fetched its tag still have that/)
  t.equal((await server.post(url, acme.key, { name: 'ONCE' })).status, 409, 'the name in another case')
  t.equal((await server.get(`${url}/once`, acme.key)).status, 404)
  t.equal(inRepository('rev-parse', 'refs/parlance/released/web/once^{commit}').trim(), first.revision)
})

t.test('creates tags that a clone can read', async t => {
  const { server, acme } = scene
  await put('cloned')
  const made = await release('cloned')
  await release('deleted')
  await server.must('DELETE', `${url}/deleted`, { key: acme.key })
  const refs = await must(['ls-remote', cloneUrl()])
  t.match(refs, new RegExp(`^${made.revision}\\trefs/tags/web/cloned\\^{}$`, 'm'))
  t.notMatch(refs, /deleted|parlance/)
  const clone = join(t.testdirName, 'clone')
  await must(['clone', '-q', cloneUrl(), clone])
  t.equal(await must(['-C', clone, 'fsck', '--full', '--strict']), '')
  t.equal(await must(['-C', clone, 'cat-file', '-t', 'web/cloned']), 'tag\n')
  t.match(
    await must(['-C', clone, 'show', '--no-patch', 'web/cloned']),
    /^tag web\/cloned\nTagger: ci <token\+.*>\n[\s\S]*\nweb cloned\n/,
  )
  t.equal((await must(['-C', clone, 'rev-parse', 'web/cloned^{commit}'])).trim(), made.revision)
  const { says } = await git(['-C', clone, 'tag', '-v', 'web/cloned'])
  t.match(says, /no signature found/, 'git accepts the tag')
  t.match(await must(['-C', clone, 'describe']), /^web\/cloned/)
  await must(['-C', clone, 'fetch', '-q', '--tags'])
  t.match(server.git(acme.id, 'fsck', '--full', '--strict', '--no-dangling'), /^$/)
})

t.test('hides the releases of a deleted project from a new one with its slug', async t => {
  const { server, acme } = scene
  await server.project(acme.key, 'app')
  const app = '/api/projects/app/releases'
  const { json } = await server.must('POST', app, { key: acme.key, body: { name: 'v1' } })
  await server.must('DELETE', '/api/projects/app', { key: acme.key })
  t.equal((await server.get(app, acme.key)).status, 404)
  t.equal((await server.get(`${app}/v1`, acme.key)).status, 404)
  t.equal((await server.post(app, acme.key, { name: 'v2' })).status, 404)
  t.equal((await server.call('DELETE', `${app}/v1`, { key: acme.key })).status, 404)
  t.equal((await server.get('/api/projects/app?at=v1', acme.key)).status, 200, 'the project existed then')
  await server.project(acme.key, 'app')
  t.strictSame((await server.get(app, acme.key)).json.releases, [])
  t.equal((await server.post(app, acme.key, { name: 'v1' })).status, 201)
  const old = inRepository('for-each-ref', '--format=%(refname) %(*objectname)', 'refs/parlance/released/app')
  t.match(old, new RegExp(`^refs/parlance/released/app/[0-9a-f]{40}/v1 ${json.revision}\n$`), 'the old tag is stored')
})

t.test('lists tags that people create with git', async t => {
  const { server, acme } = scene
  const person = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com', '-c', 'tag.gpgSign=false']
  inRepository(...person, 'tag', '-a', '-m', 'by hand', 'web/by-hand')
  inRepository('tag', 'web/light')
  inRepository('tag', 'web/deep/er')
  inRepository(...person, 'tag', '-a', '-m', 'a tree', 'web/tree', 'HEAD^{tree}')
  inRepository('symbolic-ref', 'refs/tags/web/symbolic', 'refs/tags/web/light')
  const listed = names(await server.get(url, acme.key))
  t.ok(listed.includes('by-hand'))
  for (const name of ['light', 'deep', 'tree', 'symbolic']) {
    t.notOk(listed.includes(name), name)
    t.equal((await server.get(`${url}/${name}`, acme.key)).status, 404, name)
    t.equal((await server.post(url, acme.key, { name })).status, 409, name)
    t.equal((await server.call('DELETE', `${url}/${name}`, { key: acme.key })).status, 404, name)
  }
  t.strictSame((await server.get(`${url}/by-hand`, acme.key)).json.createdBy, { name: 'Bob', email: 'bob@example.com' })
  t.equal((await server.call('DELETE', `${url}/by-hand`, { key: acme.key })).status, 204)
  t.equal((await server.get(`${web}?at=web/light`, acme.key)).status, 200)
})

t.test('creates one release when many requests have the same name', async t => {
  const { server, acme } = scene
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, n) => server.post(url, acme.key, { name: n % 3 === 0 ? 'RACE' : 'race' })),
  )
  const statuses = replies.map(({ status }) => status)
  t.strictSame(statuses.sort(), [201, ...Array(23).fill(409)])
})

t.test('contains every write acknowledged before the release, while others write', async t => {
  const { server, acme } = scene
  const { key } = acme
  await server.project(key, 'busy')
  const acknowledged = new Map<string, number>()
  const releases: { name: string; before: Map<string, number> }[] = []
  let writing = true
  const write = async (writer: number) => {
    for (let n = 1; writing; n++) {
      await server.must('PUT', `/api/projects/busy/bundles/en/n${writer}/count`, { key, body: { value: `${n}` } })
      acknowledged.set(`n${writer}`, n)
      // Paces the load of 64 writers.
      await pause(100)
    }
  }
  const name = async () => {
    for (let n = 0; n < 4; n++) {
      const before = new Map(acknowledged)
      await server.must('POST', '/api/projects/busy/releases', { key, body: { name: `v${n}` } })
      releases.push({ name: `v${n}`, before })
    }
    writing = false
  }
  await Promise.all([name(), ...Array.from({ length: 64 }, (_, writer) => write(writer))])
  t.ok(Math.min(...acknowledged.values()) > 2, 'all of them wrote meanwhile')
  for (const { name, before } of releases) {
    const { json } = await server.get(`/api/projects/busy/bundles/en?at=${name}`, key)
    const counts = new Map<string, number>(
      json.keys.map((row: { namespace: string; message: string }) => [row.namespace, Number(row.message)]),
    )
    const missing = [...before].filter(([namespace, count]) => (counts.get(namespace) ?? 0) < count)
    t.strictSame(missing, [], `${name} holds all ${before.size} bundles as they were acknowledged`)
  }
  const clone = join(t.testdirName, 'clone')
  await must(['clone', '-q', cloneUrl(), clone])
  t.equal(await must(['-C', clone, 'fsck', '--full', '--strict']), '')
  const tags = await must(['-C', clone, 'tag', '--list', 'busy/*'])
  t.equal(tags.trim().split('\n').length, 4)
})

t.test('returns the releases after a restart, and from packed-refs', async t => {
  const dataDir = join(t.testdirName, 'data')
  const first = await startServer(t, { dataDir })
  const ann = await first.organization('Ann')
  await first.project(ann.key, 'web')
  const made = await first.must('POST', url, { key: ann.key, body: { name: 'v1' } })
  const gone = await first.must('POST', url, { key: ann.key, body: { name: 'gone' } })
  await first.must('DELETE', `${url}/gone`, { key: ann.key })
  await first.put(`${web}/bundles/en/common`, ann.key, { a: 'later' })
  await first.close()
  first.git(ann.id, 'pack-refs', '--all')
  t.equal(first.git(ann.id, 'for-each-ref', '--format=%(refname)').split('\n').length, 4)
  const second = await startServer(t, { dataDir })
  t.strictSame((await second.get(url, ann.key)).json.releases, [made.json])
  t.strictSame((await second.get(`${web}/bundles/en/common?at=v1`, ann.key)).text, '{}\n')
  t.equal((await second.post(url, ann.key, { name: 'v1' })).status, 409)
  t.equal((await second.post(url, ann.key, { name: 'gone' })).status, 409, gone.json.revision)
  t.equal((await second.call('DELETE', `${url}/v1`, { key: ann.key })).status, 204)
  t.equal((await second.get(`${url}/v1`, ann.key)).status, 404, 'deleted from packed-refs')
  await second.close()
  t.equal(second.git(ann.id, 'tag'), '')
  t.match(
    second.git(ann.id, 'for-each-ref', '--format=%(refname)'),
    /^refs\/heads\/main\nrefs\/parlance\/released\/web\/gone\nrefs\/parlance\/released\/web\/v1\n$/,
  )
  t.equal(second.git(ann.id, 'fsck', '--full', '--strict', '--no-dangling'), '')
})
