import t from 'tap'
import { eventually } from '../contract/server.ts'
import { openScene, runRows, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const body = (slug: string, more = {}) => ({ slug, name: 'Web', sourceLanguage: 'en', ...more })

t.test('creates a project', async t => {
  const { server, acme, admin, member, reader, other } = scene
  const path = '/api/projects'
  const made = { slug: 'web', name: 'Web', sourceLanguage: 'en', defaultFormat: 'i18next-json' }
  const POST = { method: 'POST', path }
  await runRows(t, server, [
    { ...POST, name: 'nobody', body: body('web'), status: 401 },
    { ...POST, name: 'a member, with any body', as: member, body: '{', status: 403 },
    { ...POST, name: 'a token that reads', key: reader, body: body('web'), status: 403 },
    {
      ...POST,
      name: 'an admin',
      as: admin,
      body: body('web'),
      status: 201,
      check: reply => t.strictSame(reply.json, made),
    },
    { ...POST, name: 'the same slug', as: acme.owner, body: body('web'), status: 409 },
    {
      ...POST,
      name: 'the same but for case',
      key: acme.key,
      body: body('WEB'),
      status: 409,
      check: r => t.match(r.json.error, /"web"/),
    },
    { ...POST, name: 'another organization has slugs of its own', key: other.key, body: body('WEB'), status: 201 },
    { ...POST, name: 'an owner', as: acme.owner, body: body('b', { defaultFormat: 'i18next-json-flat' }), status: 201 },
    {
      ...POST,
      name: 'a token',
      key: acme.key,
      body: body('a', { name: '  A ' }),
      status: 201,
      check: r => t.equal(r.json.name, 'A'),
    },
    { ...POST, name: 'a slug that is none', key: acme.key, body: body('a b'), status: 400 },
    { ...POST, name: 'a reserved slug', key: acme.key, body: body('con'), status: 400 },
    { ...POST, name: 'no name', key: acme.key, body: body('c', { name: ' ' }), status: 400 },
    {
      ...POST,
      name: 'a language that is none',
      key: acme.key,
      body: body('c', { sourceLanguage: 'e_n' }),
      status: 400,
    },
    { ...POST, name: 'a format that is none', key: acme.key, body: body('c', { defaultFormat: 'json' }), status: 400 },
    { ...POST, name: 'a format of null', key: acme.key, body: body('c', { defaultFormat: null }), status: 400 },
    { ...POST, name: 'an unknown parameter', path: `${path}?dryRun=true`, key: acme.key, body: body('c'), status: 400 },
    { ...POST, name: 'a large body', key: acme.key, body: body('c', { name: 'x'.repeat(20_000) }), status: 413 },
  ])
  const { projects } = (await server.get(path, acme.key)).json
  t.strictSame(
    projects.map(({ slug }: { slug: string }) => slug),
    ['a', 'b', 'web'],
  )
  t.strictSame(Object.keys(projects[0]), ['slug', 'name', 'sourceLanguage', 'defaultFormat'])
  t.strictSame((await server.get(path, other.key)).json.projects, [{ ...made, slug: 'WEB' }])
})

t.test('returns projects', async t => {
  const { server, acme, member, other } = scene
  const GET = { method: 'GET', path: '/api/projects/web' }
  const empty = { defaultFormat: 'i18next-json', sourceLanguage: 'en', languages: ['en'], namespaces: [] }
  await runRows(t, server, [
    { ...GET, name: 'nobody', status: 401 },
    { ...GET, name: 'a member', as: member, status: 200, check: reply => t.strictSame(reply.json, empty) },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    { ...GET, name: 'in another case', path: '/api/projects/Web', key: acme.key, status: 404 },
    { ...GET, name: 'a slug that cannot be', path: '/api/projects/a..b', key: acme.key, status: 400 },
    { ...GET, name: 'an escaped path', path: '/api/projects/..%2Fweb', key: acme.key, status: 400 },
    { ...GET, name: 'unknown parameters are ignored', path: '/api/projects/web?x=1', key: acme.key, status: 200 },
    { name: 'HEAD', method: 'HEAD', path: '/api/projects', as: member, status: 200, check: r => t.equal(r.text, '') },
  ])
  const mine = await server.get('/api/projects/nothing', acme.key)
  const theirs = await server.get('/api/projects/b', other.key)
  t.equal(mine.text.replaceAll('nothing', 'b'), theirs.text, 'unknown, and of another organization: the same words')
})

t.test('lists languages and namespaces in the manifest after a push', async t => {
  const { server, acme } = scene
  const { key } = acme
  const before = (await server.get('/api/projects/web', key)).headers.etag
  await server.must('PUT', '/api/projects/web/bundles/pt-BR/home', { key, body: { a: 'x' } })
  await server.must('PUT', '/api/projects/web/bundles/de/common', { key, body: { a: 'x' } })
  await server.must('PUT', '/api/projects/web/bundles/fr/common', { key, body: {} })
  const after = await server.get('/api/projects/web', key)
  t.strictSame(after.json.languages, ['de', 'en', 'pt-BR'], 'nothing was pushed to fr')
  t.strictSame(after.json.namespaces, ['common', 'home'])
  t.not(after.headers.etag, before)
})

t.test('writes one commit by its author for a new project', async t => {
  const { server, other } = scene
  await server.project(other.key, 'told')
  // `--all`: before the first seal there is no branch, and git would fail if one were named.
  const last = () => server.git(other.id, 'log', '--branches', '-1', '--format=%an <%ae>%n%s%n%(trailers:unfold)')
  t.ok(await eventually(() => /told$/m.test(last())), 'the server seals it into git by itself')
  t.match(last(), /^ci <token\+[0-9a-f]+@parlance\.invalid>\ncreate project told\nParlance-Project: told\n/)
})

t.test('creates one project when many requests have the same slug', async t => {
  const { server, acme } = scene
  const make = (slug: string) => server.post('/api/projects', acme.key, body(slug))
  const statuses = (await Promise.all(['race', 'RACE', 'Race', 'race'].map(make))).map(({ status }) => status)
  t.strictSame(statuses.sort(), [201, 409, 409, 409])
})
