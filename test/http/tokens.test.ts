import t from 'tap'
import { TOKEN_SCOPES } from '../../src/auth/access.ts'
import { openScene, type Reply, type Row, runRows, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

t.test('allows admins and owners to manage tokens', async t => {
  const { server, acme, admin, member, other, stranger } = scene
  const { id } = await server.mint(acme.owner, 'target')
  const list = { method: 'GET', path: '/api/tokens' }
  const mint = { method: 'POST', path: '/api/tokens', body: { name: 'new' } }
  const revoke = { method: 'DELETE', path: `/api/tokens/${id}` }
  await runRows(t, server, [
    { ...list, name: 'list: nobody', status: 401 },
    { ...list, name: 'list: a bad token', key: 'x', status: 401 },
    { ...list, name: 'list: a good token', key: acme.key, status: 403 },
    { ...list, name: 'list: a good token beside a cookie', key: acme.key, as: acme.owner, status: 403 },
    { ...list, name: 'list: a member of nothing', as: stranger, status: 403 },
    { ...list, name: 'list: a member', as: member, status: 200 },
    { ...mint, name: 'mint: nobody', status: 401 },
    { ...mint, name: 'mint: a token', key: acme.key, status: 403 },
    { ...mint, name: 'mint: a member, with any body', as: member, body: '{', status: 403 },
    { ...mint, name: 'mint: an admin', as: admin, status: 201 },
    { ...mint, name: 'mint: an owner', as: acme.owner, status: 201 },
    { ...revoke, name: 'revoke: nobody', status: 401 },
    { ...revoke, name: 'revoke: a token', key: acme.key, status: 403 },
    { ...revoke, name: 'revoke: a member', as: member, status: 403 },
    {
      ...revoke,
      name: 'revoke: a member, an unknown token',
      as: member,
      path: '/api/tokens/none',
      status: 403,
    },
    { ...revoke, name: 'revoke: another organization', as: other.owner, status: 404 },
    { ...revoke, name: 'revoke: unknown', as: admin, path: '/api/tokens/none', status: 404 },
    { ...revoke, name: 'revoke: an admin', as: admin, status: 204, check: reply => t.equal(reply.text, '') },
    { ...revoke, name: 'revoke: a second time', as: admin, status: 404 },
  ])
  const theirs = await server.call('DELETE', `/api/tokens/${(await server.mint(acme.owner)).id}`, { as: other.owner })
  const unknown = await server.call('DELETE', '/api/tokens/none', { as: other.owner })
  t.equal(theirs.text, unknown.text, 'a token of another organization gets the answer of an unknown one')
})

t.test('checks the fields of a new token', async t => {
  const { server, acme } = scene
  const mint = (name: string, status: number, body: unknown): Row => ({
    name,
    method: 'POST',
    path: '/api/tokens',
    as: acme.owner,
    body,
    status,
  })
  for (const slug of ['web', 'shop']) await server.project(acme.key, slug)
  const fields = ['id', 'name', 'scope', 'start', 'createdAt', 'createdBy', 'expiresAt', 'key']
  await runRows(t, server, [
    {
      ...mint('the least', 201, { name: ' ci ' }),
      check: ({ json, headers }) => {
        t.strictSame(Object.keys(json).sort(), fields.sort())
        t.match(json, {
          name: 'ci',
          scope: 'write',
          expiresAt: null,
          createdBy: { id: acme.owner.user.id, name: 'Ann' },
        })
        t.match(json.key, /^prl_[A-Za-z0-9_-]{43}$/)
        t.equal(json.start, json.key.slice(0, 8))
        t.match(json.createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        t.equal(headers['cache-control'], 'no-store')
      },
    },
    {
      ...mint('all', 201, { name: 'ci', scope: 'read', expiresInDays: 1 }),
      check: r => t.match(r.json.expiresAt, /Z$/),
    },
    mint('no name', 400, {}),
    mint('a blank name', 400, { name: '  ' }),
    mint('a name of 101', 400, { name: 'x'.repeat(101) }),
    mint('a name of 100 characters of two units each', 201, { name: '😀'.repeat(100) }),
    mint('an unknown scope', 400, { name: 'x', scope: 'admin' }),
    ...TOKEN_SCOPES.map(scope => ({
      ...mint(`scope ${scope}`, 201, { name: 'ci', scope }),
      check: ({ json }: Reply) => t.equal(json.scope, scope),
    })),
    {
      ...mint('some projects', 201, { name: 'ci', projects: ['web', 'shop', 'web'] }),
      check: ({ json }) => {
        t.strictSame(json.projects, ['shop', 'web'])
        t.strictSame(Object.keys(json).sort(), [...fields, 'projects'].sort())
      },
    },
    mint('no project', 400, { name: 'x', projects: [] }),
    mint('projects as text', 400, { name: 'x', projects: 'web' }),
    mint('a project as a number', 400, { name: 'x', projects: [5] }),
    mint('projects null', 400, { name: 'x', projects: null }),
    mint('a slug that is none', 400, { name: 'x', projects: ['web', 'a/b'] }),
    mint('a hundred and one', 400, { name: 'x', projects: Array.from({ length: 101 }, (_, at) => `p${at}`) }),
    {
      ...mint('a project that there is not', 400, { name: 'x', projects: ['web', 'wep', 'Shop'] }),
      check: ({ json }) => t.match(json.error, /: "wep", "Shop"\.$/, 'each is named'),
    },
    mint('no days', 400, { name: 'x', expiresInDays: 0 }),
    mint('half a day', 400, { name: 'x', expiresInDays: 0.5 }),
    mint('days as text', 400, { name: 'x', expiresInDays: '1' }),
    mint('an unknown field', 400, { name: 'x', organizationId: 'other' }),
    mint('a large body', 413, { name: 'x'.repeat(20_000) }),
    { ...mint('an unknown parameter', 400, { name: 'x' }), path: '/api/tokens?x=1' },
  ])
  const list = await server.call('GET', '/api/tokens', { as: acme.owner })
  t.equal(list.headers['cache-control'], 'private, no-cache')
  t.equal(list.headers.vary, 'Cookie, X-API-Key')
  const rows = fields.filter(name => name !== 'key').concat('lastUsedAt')
  const limited = list.json.tokens.filter((row: object) => 'projects' in row)
  t.strictSame(
    limited.map(({ projects }: { projects: string[] }) => projects),
    [['shop', 'web']],
  )
  for (const { projects: _, ...row } of list.json.tokens) t.strictSame(Object.keys(row).sort(), rows.sort())
  t.notMatch(list.text, /prl_[A-Za-z0-9_-]{5}/, 'no more of a key than its start')
})

t.test('allows reads and missing keys with scope add, and no other write', async t => {
  const { server, acme } = scene
  const project = await server.project(acme.key, 'app')
  const bundle = `${project}/bundles/en/common`
  await server.put(bundle, acme.key, { a: 'A', empty: '' })
  const { key } = await server.mint(acme.owner, 'production', 'add')
  const add: Row = { name: 'saveMissing', method: 'POST', path: bundle, key, body: { a: 'x', b: 'B' }, status: 200 }
  const refused = (name: string, method: string, path: string, body?: unknown): Row => ({
    ...{ name, method, path, key, body, status: 403 },
    check: ({ json }) => t.match(json.error, /^This API token may only read, and add missing keys/, name),
  })
  await runRows(t, server, [
    { ...add, check: ({ json }) => t.strictSame(json, { added: 1, updated: 0, skipped: 1 }) },
    { ...add, name: 'into another language', path: `${project}/bundles/de/common`, body: { a: 'A' } },
    { ...add, name: 'a namespace that is new', path: `${project}/bundles/en/fresh` },
    { ...add, name: 'no such project', path: '/api/projects/none/bundles/en/common', status: 404 },
    { ...add, name: 'a body that is none', body: '{', status: 400 },
    { ...add, name: 'a read', method: 'GET', body: undefined },
    refused('a push', 'PUT', bundle, { a: 'x' }),
    refused('a dry push', 'PUT', `${bundle}?dryRun=true`, { a: 'x' }),
    refused('a value', 'PUT', `${bundle}/a`, { value: 'x' }),
    refused('a deletion', 'DELETE', bundle),
    refused('a project', 'POST', '/api/projects', { slug: 'new', name: 'New', sourceLanguage: 'en' }),
    refused('a release', 'POST', `${project}/releases`, { name: 'v1' }),
    refused('a restore', 'POST', `${project}/restore`, { at: '2999-01-01' }),
  ])
  t.strictSame((await server.get(bundle, acme.key)).json, { a: 'A', empty: '', b: 'B' })
})

t.test('allows reads, suggestions and comments with scope suggest, and no other write', async t => {
  const { server, acme } = scene
  const project = await server.project(acme.key, 'agent')
  const elsewhere = await server.project(acme.key, 'no-agent')
  const [bundle, german] = ['en', 'de'].map(language => `${project}/bundles/${language}/common`)
  await server.put(bundle!, acme.key, { a: 'A' })
  await server.put(german!, acme.key, { a: 'a' })
  const { key } = await server.mint(acme.owner, 'agent', 'suggest', ['agent'])
  const row = (name: string, status: number, method: string, path: string, body?: unknown): Row => ({
    ...{ name, status, method, path, body, key },
    ...(status === 403 && {
      check: ({ json }: Reply) =>
        t.match(json.error, /^This API token may only read, suggest texts and write co/, name),
    }),
  })
  const path = `${project}/suggestions/de/common/a`
  await runRows(t, server, [
    row('a suggestion', 201, 'POST', path, { value: 'Ah' }),
    row('a comment', 201, 'POST', `${project}/comments/common/a`, { text: 'Is it a verb?' }),
    row('a read', 200, 'GET', german!),
    row('the suggestions', 200, 'GET', `${project}/suggestions`),
    row('another project', 404, 'POST', `${elsewhere}/suggestions/de/common/a`, { value: 'Ah' }),
    row('saveMissing', 403, 'POST', bundle!, { b: 'B' }),
    row('a value', 403, 'PUT', `${german}/a`, { value: 'x' }),
    row('a dry push', 403, 'POST', `${project}/push?dryRun=true`, { bundles: { de: { common: { a: 'x' } } } }),
    row('a decision', 403, 'POST', `${project}/suggestions/accept`, { language: 'de' }),
    row('a machine, which costs money', 403, 'POST', `${project}/suggest`, {
      ...{ language: 'de', namespace: 'common', key: 'a' },
    }),
  ])
  t.strictSame((await server.get(german!, acme.key)).json, { a: 'a' })
  const { json } = await server.get('/api/whoami', key)
  t.match(json, { name: 'agent', scope: 'suggest', projects: ['agent'] })
})

t.test('refuses a revoked token at once, and any token outside its organization', async t => {
  const { server, acme } = scene
  const { id, key } = await server.mint(acme.owner, 'short')
  t.equal((await server.get('/api/projects', key)).status, 200)
  const used = (await server.call('GET', '/api/tokens', { as: acme.owner })).json.tokens.find(
    (row: { id: string }) => row.id === id,
  )
  t.match(used.lastUsedAt, /Z$/)
  await server.must('DELETE', `/api/tokens/${id}`, { as: acme.owner })
  t.equal((await server.get('/api/projects', key)).status, 401)
})
