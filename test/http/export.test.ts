/** The export of a project: a zip or one object, the same bytes each time, streamed. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { must, noGit } from './git-client.ts'
import { openScene, type Reply, runRows, type Scene, startServer } from './server.ts'
import { unzip } from './unzip.ts'

let scene: Scene
const web = '/api/projects/web'
const path = `${web}/export`
const en = { common: { title: 'Hello', nav: { home: 'Home' } }, home: { welcome: 'Willkommen ☺' } }
const de = { common: { title: 'Hallo', waiting: '' } }

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  await server.project(acme.key, 'web')
  const push = (at: string, body: unknown) => server.must('PUT', `${web}/bundles/${at}`, { key: acme.key, body })
  await push('en/common', en.common)
  await push('en/home', en.home)
  await push('de/common', de.common)
})

const files = (reply: Reply) => [...unzip(reply.bytes).keys()]

t.test('a project', async t => {
  const { server, acme, member, reader, other, stranger } = scene
  const { key } = acme
  const GET = { method: 'GET', path, key }
  const newest = (await server.get(`${web}/history?limit=1`, key)).json.revisions[0].revision
  const holds =
    (...paths: string[]) =>
    (reply: Reply, t: Test) =>
      t.strictSame(files(reply), paths)
  const gives = (expected: object) => (reply: Reply, t: Test) => t.strictSame(reply.json, expected)
  const all = holds('de/common.json', 'en/common.json', 'en/home.json')
  await runRows(t, server, [
    { ...GET, name: 'nobody', key: '', status: 401 },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    { name: 'a stranger', method: 'GET', path, as: stranger, status: 403 },
    { ...GET, name: 'a token', status: 200, check: all },
    { ...GET, name: 'a token that reads', key: reader, status: 200, check: all },
    { name: 'a member', method: 'GET', path, as: member, status: 200, check: all },
    {
      ...GET,
      name: 'its headers',
      status: 200,
      check: r => {
        t.equal(r.headers['content-type'], 'application/zip')
        t.equal(r.headers['content-disposition'], 'attachment; filename="web.zip"')
        t.equal(r.headers['cache-control'], 'private, no-cache')
        t.equal(r.headers['parlance-revision'], newest)
      },
    },
    {
      ...GET,
      name: 'HEAD',
      method: 'HEAD',
      status: 200,
      check: r => {
        t.equal(r.headers['content-length'], undefined, 'the length is unknown before rendering')
        t.equal(r.headers['content-disposition'], 'attachment; filename="web.zip"')
        t.match(r.headers.etag, /^W\//)
      },
    },
    { ...GET, name: 'a language', path: `${path}?language=de`, status: 200, check: holds('de/common.json') },
    { ...GET, name: 'two languages', path: `${path}?language=en&language=de`, status: 200, check: all },
    { ...GET, name: 'a namespace', path: `${path}?namespace=home`, status: 200, check: holds('en/home.json') },
    {
      ...GET,
      name: 'both',
      path: `${path}?language=en&language=de&namespace=common`,
      status: 200,
      check: holds('de/common.json', 'en/common.json'),
    },
    { ...GET, name: 'nothing', path: `${path}?language=de&namespace=home`, status: 200, check: holds() },
    {
      ...GET,
      name: 'one object',
      path: `${path}?format=json`,
      status: 200,
      check: r => {
        gives({ de, en })(r, t)
        t.equal(r.headers['content-disposition'], 'attachment; filename="web.json"')
        t.match(r.text, '{"de":{"common":{\n  "title": "Hallo",\n')
      },
    },
    {
      ...GET,
      name: 'one object of a part',
      path: `${path}?format=json&namespace=home`,
      status: 200,
      check: gives({ de: {}, en: { home: en.home } }),
    },
    {
      ...GET,
      name: 'one object without what is empty',
      path: `${path}?format=json&empty=omit&language=de`,
      status: 200,
      check: gives({ de: { common: { title: 'Hallo' } } }),
    },
    {
      ...GET,
      name: 'a zip without what is empty',
      path: `${path}?empty=omit&language=de`,
      status: 200,
      check: r => t.equal(String(unzip(r.bytes).get('de/common.json')), '{\n  "title": "Hallo"\n}\n'),
    },
    { ...GET, name: 'an unknown project', path: '/api/projects/none/export', status: 404 },
    { ...GET, name: 'an unknown language', path: `${path}?language=fr`, status: 404 },
    { ...GET, name: 'a known and an unknown one', path: `${path}?language=en&language=fr`, status: 404 },
    { ...GET, name: 'an unknown namespace', path: `${path}?namespace=none`, status: 404 },
    { ...GET, name: 'no language', path: `${path}?language=e_n`, status: 400 },
    { ...GET, name: 'a reserved namespace', path: `${path}?namespace=__proto__`, status: 400 },
    { ...GET, name: 'another format', path: `${path}?format=tar`, status: 400 },
    { ...GET, name: 'two formats', path: `${path}?format=zip&format=json`, status: 400 },
    { ...GET, name: 'another word for empty', path: `${path}?empty=keep`, status: 400 },
    { ...GET, name: 'an unknown state', path: `${path}?at=${'0'.repeat(40)}`, status: 404 },
    { ...GET, name: 'unknown parameters are ignored', path: `${path}?lang=de`, status: 200, check: all },
    { ...GET, name: 'a write', method: 'POST', body: {}, status: 405 },
  ])
})

t.test('writes a zip with the files of git that system tools can read', { skip: noGit }, async t => {
  const { server, acme } = scene
  await server.commits(acme.id)
  const { bytes } = await server.get(path, acme.key)
  for (const [name, file] of unzip(bytes)) {
    t.equal(String(file), server.git(acme.id, 'show', `HEAD:web/locales/${name}`), name)
  }
  const name = (reply: Reply) => reply.headers['content-disposition']
  await server.must('POST', `${web}/releases`, { key: acme.key, body: { name: 'v1' } })
  t.equal(name(await server.get(`${path}?at=v1`, acme.key)), 'attachment; filename="web-v1.zip"')
  const time = await server.get(`${path}?at=${encodeURIComponent('2999-01-01T00:00:00"Z')}`, acme.key)
  t.equal(time.status, 400)
  t.equal(time.headers['content-disposition'], undefined, 'a refusal is no file')
})

t.test('returns the same bytes for the same entity tag', async t => {
  const { server, acme } = scene
  const { key } = acme
  const ask = (path: string, etag?: string) =>
    server.call('GET', path, { key, headers: etag === undefined ? {} : { 'if-none-match': etag } })
  const first = await ask(path)
  const { etag = '' } = first.headers
  const { revision } = (await server.get(`${web}/history?limit=1`, key)).json.revisions[0]
  t.equal((await ask(path, etag)).status, 304)
  t.equal((await ask(path, etag)).headers['content-disposition'], undefined)
  t.ok((await ask(path)).bytes.equals(first.bytes))
  for (const other of ['format=json', 'empty=omit', 'language=en', 'namespace=common']) {
    t.equal((await ask(`${path}?${other}`, etag)).status, 200, other)
  }
  const part = (await ask(`${path}?namespace=home`)).headers.etag
  await server.must('PUT', `${web}/bundles/de/common`, { key, body: { more: 'Mehr' } })
  t.equal((await ask(path, etag)).status, 200)
  t.equal((await ask(`${path}?namespace=home`, part)).status, 304, 'a part that did not change')
  const then = await ask(`${path}?at=${revision}`)
  t.equal(then.headers.etag, etag)
  t.ok(then.bytes.equals(first.bytes))
  t.match(then.headers['cache-control'], 'immutable')
  await server.must('DELETE', `${web}/bundles/de/common/more`, { key })
  const back = await ask(path)
  t.equal(back.headers.etag, etag, 'what was written meanwhile does not matter')
  t.ok(back.bytes.equals(first.bytes))
})

t.test('exports only the files that changed since a revision', async t => {
  const { server, acme, other, reader } = scene
  const { key } = acme
  const slug = 'since'
  const since = `/api/projects/${slug}/export`
  await server.project(key, slug)
  const put = async (at: string, body: unknown) => {
    await server.must('PUT', `/api/projects/${slug}/bundles/${at}`, { key, body })
    return server.newest(acme.id)
  }
  await put('en/common', { a: 'A' })
  await put('en/home', { h: 'H' })
  await put('fr/common', { a: 'A' })
  const had = await put('de/common', { a: 'A' })
  const first = await server.get(since, key)
  await put('en/home/h', { value: 'H 2' })
  await server.must('DELETE', `/api/projects/${slug}/bundles/fr/common`, { key })
  const now = await put('de/new', { n: '' })
  const changed = { de: { new: { n: '' } }, en: { home: { h: 'H 2' } }, fr: { common: {} } }
  const GET = { method: 'GET', path: `${since}?since=${had}&format=json`, key }
  const gives = (expected: object) => (reply: Reply, t: Test) => {
    t.strictSame(reply.json, expected)
    t.match(reply.headers, { 'parlance-since': had, 'parlance-revision': now })
  }
  await runRows(t, server, [
    { ...GET, name: 'nobody', key: '', status: 401 },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    { ...GET, name: 'one object', status: 200, check: gives(changed) },
    { ...GET, name: 'a token that reads', key: reader, status: 200, check: gives(changed) },
    {
      ...GET,
      name: 'a zip',
      path: `${since}?since=${had}`,
      status: 200,
      check: (r, t) => {
        t.strictSame(files(r), ['de/new.json', 'en/home.json', 'fr/common.json'])
        t.equal(String(unzip(r.bytes).get('fr/common.json')), '{}\n', 'one that is gone is empty')
      },
    },
    { ...GET, name: 'a language', path: `${GET.path}&language=en`, status: 200, check: gives({ en: changed.en }) },
    {
      ...GET,
      name: 'a namespace',
      path: `${GET.path}&namespace=common`,
      status: 200,
      check: gives({ fr: changed.fr }),
    },
    {
      ...GET,
      name: 'without what is empty',
      path: `${GET.path}&empty=omit`,
      status: 200,
      check: gives({ ...changed, de: { new: {} } }),
    },
    {
      ...GET,
      name: 'as of then',
      path: `${GET.path}&at=${had}`,
      status: 200,
      check: (r, t) => t.strictSame(r.json, {}),
    },
    {
      ...GET,
      name: 'of now',
      path: `${since}?since=${now}&format=json`,
      status: 200,
      check: (r, t) => t.strictSame(r.json, {}),
    },
    {
      ...GET,
      name: 'of now, a zip',
      path: `${since}?since=${now}`,
      status: 200,
      check: (r, t) => t.strictSame(files(r), []),
    },
    { ...GET, name: 'in capitals', path: GET.path.replace(had, had.toUpperCase()), status: 200, check: gives(changed) },
    {
      ...GET,
      name: 'an unknown revision',
      path: `${since}?since=${'0'.repeat(40)}`,
      status: 404,
      check: (r, t) => t.strictSame(r.json, { error: `There is no revision "${'0'.repeat(40)}".` }),
    },
    { ...GET, name: "another organization's", path: `${path}?since=${now}`, key: other.key, status: 404 },
    { ...GET, name: 'a short one', path: `${since}?since=${had.slice(0, 7)}`, status: 400 },
    { ...GET, name: 'a release', path: `${since}?since=v1`, status: 400 },
    { ...GET, name: 'two', path: `${GET.path}&since=${now}`, status: 400 },
    { ...GET, name: 'an unknown language', path: `${GET.path}&language=es`, status: 404 },
  ])
  const ask = (path: string, etag?: string) =>
    server.get(path, key, etag === undefined ? {} : { 'if-none-match': etag })
  const { etag } = (await ask(GET.path)).headers
  t.match(await ask(GET.path, etag), { status: 304, headers: { 'parlance-since': undefined } })
  t.equal((await ask(GET.path, first.headers.etag)).status, 200)
  t.equal((await ask(`${since}?format=json`)).headers.etag, etag, 'the tag equals that of the whole export')
  t.equal((await ask(`${since}?since=${now}&format=json`, etag)).status, 304, 'the client has the newest state')
  t.equal((await ask(`${GET.path}&language=en`, etag)).status, 200, 'a part has another tag')
  const [{ revision: made }] = (await server.get('/api/projects/web/history', key)).json.revisions.slice(-1)
  const all = (await ask(`${since}?format=json`)).json
  t.strictSame((await ask(`${since}?since=${made}&format=json`)).json, all, 'a revision before the project exists')
  await put('de/new/n', { value: 'N' })
  t.equal((await ask(GET.path, etag)).status, 200)
  const then = await ask(`${GET.path}&at=${now}`)
  t.strictSame([then.json, then.headers.etag], [changed, etag])
  t.match(then.headers['cache-control'], 'immutable')
})

t.test('compresses a JSON export', async t => {
  const { server, acme } = scene
  const plain = await server.get(`${path}?format=json`, acme.key)
  for (const [coding, unpack] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const reply = await server.call('GET', `${path}?format=json`, {
      key: acme.key,
      headers: { 'accept-encoding': coding },
    })
    t.equal(reply.headers['content-encoding'], coding)
    t.match(reply.headers.vary, 'Accept-Encoding')
    t.equal(String(unpack(reply.bytes)), plain.text)
    t.equal(reply.headers.etag, plain.headers.etag)
    const headers = { 'accept-encoding': coding, 'if-none-match': String(reply.headers.etag) }
    const unchanged = await server.get(`${path}?format=json`, acme.key, headers)
    t.match(unchanged, { status: 304, headers: { vary: reply.headers.vary } })
  }
  const zip = await server.get(path, acme.key, { 'accept-encoding': 'gzip' })
  const unchanged = await server.get(path, acme.key, {
    'accept-encoding': 'gzip',
    'if-none-match': String(zip.headers.etag),
  })
  t.equal(unchanged.headers.vary, zip.headers.vary, 'a zip is compressed by itself')
})

t.test('exports an empty project and one with large files', async t => {
  const { server, acme } = scene
  const { key } = acme
  await server.project(key, 'bare', 'sv')
  t.equal(unzip((await server.get('/api/projects/bare/export', key)).bytes).size, 0)
  t.strictSame((await server.get('/api/projects/bare/export?format=json', key)).json, { sv: {} })
  await server.project(key, 'large')
  const body = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [`key${n}`, n % 2 ? '' : `text ${n}`.repeat(12)]),
  )
  await server.must('PUT', '/api/projects/large/bundles/en/large', { key, body })
  const file = (await server.get('/api/projects/large/bundles/en/large', key)).bytes
  t.ok(
    unzip((await server.get('/api/projects/large/export', key)).bytes)
      .get('en/large.json')!
      .equals(file),
  )
  const omitting = (await server.get('/api/projects/large/bundles/en/large?empty=omit', key)).bytes
  const archive = (await server.get('/api/projects/large/export?empty=omit', key)).bytes
  t.ok(unzip(archive).get('en/large.json')!.equals(omitting))
})

t.test('exports a state that a commit of a person broke', { skip: noGit }, async t => {
  const dataDir = join(t.testdir(), 'data')
  const first = await startServer(t, { dataDir })
  const acme = await first.organization('Ann')
  await first.project(acme.key, 'web')
  await first.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: { a: 'x' } })
  await first.close()
  const folder = first.repository(acme.id)
  const input = '{"a":"y"},"injected":{"a":"z"}'
  const blob = execFileSync('git', ['-C', folder, 'hash-object', '-w', '--stdin'], { input, encoding: 'utf8' }).trim()
  await must(['-C', folder, 'update-index', '--add', '--cacheinfo', `100644,${blob},web/locales/en/common.json`])
  await must(['-C', folder, '-c', 'user.name=Bob', '-c', 'user.email=b@example.com', 'commit', '-q', '-m', 'by hand'])
  const broken = (await must(['-C', folder, 'rev-parse', 'HEAD'])).trim()
  const server = await startServer(t, { dataDir })
  const { status, json, headers } = await server.get(`${path}?format=json&at=${broken}`, acme.key)
  t.equal(status, 422)
  t.match(json.error, /committed by hand/)
  t.equal(headers['content-disposition'], undefined)
  const archive = await server.get(`${path}?at=${broken}`, acme.key)
  t.equal(String(unzip(archive.bytes).get('en/common.json')), input, 'a zip has the bytes of then')
})
