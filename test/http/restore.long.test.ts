import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import i18next from 'i18next'
import t from 'tap'
import { parseBundle } from '../../src/bundle/canonical.ts'
import { dataFolder, eventually, git } from '../contract/server.ts'
import { openScene, type Reply, type Row, runRows, type Scene, segment, startServer } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const EMPTY = 'W/"0967ef424bce6791893e9a57bb952f80fd536e93"'
const NOBODYS = '1234567812345678123456781234567812345678'

/** A project of Acme with bundles, `{ 'de/common': { … } }`. */
async function project(slug: string, bundles: Record<string, object>, format = 'i18next-json'): Promise<string> {
  const path = await scene.server.project(scene.acme.key, slug, 'en', format)
  await push(path, bundles)
  return path
}

async function push(path: string, bundles: Record<string, object>): Promise<void> {
  for (const [at, body] of Object.entries(bundles)) {
    await scene.server.must('PUT', `${path}/bundles/${at}?prune=true`, { key: scene.acme.key, body: {} })
    await scene.server.must('PUT', `${path}/bundles/${at}`, { key: scene.acme.key, body })
  }
}

/** The newest commit, once everything acknowledged is in the repository. */
const revision = (organization = scene.acme): Promise<string> => scene.server.newest(organization.id)

/** Every file of a project with its blob id, at a revision. */
function files(slug: string, at: string): Record<string, string> {
  const lines = scene.server.git(scene.acme.id, 'ls-tree', '-r', at, `${slug}/`).trim().split('\n').filter(Boolean)
  return Object.fromEntries(lines.map(line => [line.slice(line.indexOf('\t') + slug.length + 2), line.slice(12, 52)]))
}

const restore = (path: string, body: object, query = '', headers = {}): Promise<Reply> =>
  scene.server.call('POST', `${path}/restore${query}`, { key: scene.acme.key, body, headers })

const read = async (path: string): Promise<Reply['json']> => (await scene.server.get(path, scene.acme.key)).json
const tagOf = async (path: string): Promise<string> => (await scene.server.get(path, scene.acme.key)).headers.etag!

/** Subject and trailers of the commits since a revision. */
const told = (since: string): string[] =>
  scene.server
    .git(scene.acme.id, 'log', '--reverse', `${since}..HEAD`, '--format=%s|%(trailers:unfold,separator=%x7c)')
    .trim()
    .split('\n')
    .filter(Boolean)

t.test('refuses other roles and wrong requests', async t => {
  const { server, acme, other, member, stranger, reader } = scene
  const web = await project('table', { 'en/common': { a: 'x', nav: { home: 'h' } }, 'de/common': { a: 'y' } })
  const at = await revision()
  const tag = await tagOf(`${web}/bundles/de/common`)
  await push(web, { 'de/common': { a: 'broken', b: 'new' } })
  await server.project(other.key, 'theirs')
  const theirs = await revision(other)
  const since = await revision()
  const body = { at, language: 'de', namespace: 'common' }
  const POST = (name: string, status: number, more: Partial<Row> & { send?: object } = {}): Row => ({
    name,
    method: 'POST',
    path: `${web}/restore`,
    key: acme.key,
    status,
    body: more.send ? { ...body, ...more.send } : body,
    ...more,
  })
  const says = (pattern: RegExp) => (reply: Reply) => t.match(reply.json.error, pattern)
  await runRows(t, server, [
    POST('nobody', 401, { key: undefined }),
    POST('a token that reads', 403, { key: reader }),
    POST('a token that reads, for a dry run', 403, { key: reader, path: `${web}/restore?dryRun=true` }),
    POST('a member of nothing', 403, { key: undefined, as: stranger }),
    POST('another organization', 404, { key: other.key }),
    POST('another organization, with a revision of its own', 404, { key: other.key, send: { at: theirs } }),
    POST('a project that is not there', 404, { path: '/api/projects/none/restore' }),
    POST('a project of another organization', 404, { path: '/api/projects/theirs/restore' }),
    POST('a slug in another case', 404, { path: '/api/projects/Table/restore' }),
    POST('a revision of another organization', 404, { send: { at: theirs } }),
    POST('an unknown revision', 404, { send: { at: NOBODYS } }),
    POST('a release that is not there', 404, { send: { at: 'v1.0' } }),
    POST('a bad slug', 400, { path: '/api/projects/a..b/restore' }),
    POST('no state at all', 400, { send: { at: 'yesterday evening' } }),
    POST('an empty state', 400, { send: { at: '' } }),
    POST('a state that is no string', 400, { send: { at: 5 } }),
    POST('no state', 400, { body: { language: 'de' }, check: says(/"at" is missing/) }),
    POST('a bad language', 400, { send: { language: 'd_e' } }),
    POST('a bad namespace', 400, { send: { namespace: 'con' } }),
    POST('a namespace of null', 400, { send: { namespace: null } }),
    POST('a key that cannot be', 400, { send: { key: 'a\0' } }),
    POST('an empty key', 400, { send: { key: '' } }),
    POST('a key of no namespace', 400, { body: { at, language: 'de', key: 'a' }, check: says(/"namespace"/) }),
    POST('an unknown field', 400, { send: { slug: 'table' }, check: says(/"slug"/) }),
    POST('no object', 400, { body: '[]' }),
    POST('no JSON', 400, { body: '{' }),
    POST('no body', 400, { body: undefined }),
    POST('another type', 415, { headers: { 'content-type': 'text/plain' } }),
    POST('too large', 413, { send: { key: 'x'.repeat(20_000) } }),
    POST('an unknown parameter', 400, { path: `${web}/restore?dryrun=true`, check: says(/dryRun/) }),
    POST('neither true nor false', 400, { path: `${web}/restore?dryRun=1` }),
    POST('a language that was not there', 404, { body: { at, language: 'fr' }, check: says(/"fr" at revision/) }),
    POST('a language in another case', 404, { body: { at, language: 'DE' } }),
    POST('a namespace that was nowhere', 404, { body: { at, namespace: 'home' }, check: says(/"home"/) }),
    POST('a bundle that was not there', 404, { send: { namespace: 'home' }, check: says(/"home" in "de"/) }),
    POST('a key that was not there', 404, { send: { key: 'b' }, check: says(/"b"/) }),
    POST('a key that was in no language', 404, { body: { at, namespace: 'common', key: 'none' } }),
    POST('an object is no key', 404, { body: { at, namespace: 'common', key: 'nav' } }),
    POST('a form that was not there', 404, { send: { key: 'a_one' } }),
    POST('before the project was', 404, { send: { at: '2001-01-01' }, check: says(/before the first commit/) }),
    POST('stale', 412, {
      headers: { 'if-match': tag },
      check: reply => {
        t.match(reply.json.error, /bundle/)
        t.not(reply.json.etag, tag)
        t.equal(reply.headers.etag, reply.json.etag)
      },
    }),
    POST('stale, dry', 412, { headers: { 'if-match': tag }, path: `${web}/restore?dryRun=true` }),
    POST('there already', 412, { headers: { 'if-none-match': '*' } }),
  ])
  t.equal(await revision(), since, 'none of these wrote')
  const unknown = await Promise.all([
    server.call('POST', '/api/projects/theirs/restore', { key: acme.key, body }),
    server.call('POST', '/api/projects/nobody/restore', { key: acme.key, body }),
    restore(web, { ...body, at: theirs }),
    restore(web, { ...body, at: NOBODYS }),
  ])
  const bare = ({ status, text, headers }: Reply) =>
    JSON.stringify([status, text, { ...headers, date: '' }])
      .replaceAll(theirs, 'ID')
      .replaceAll(NOBODYS, 'ID')
  t.equal(
    bare(unknown[0]).replaceAll('theirs', 'nobody'),
    bare(unknown[1]),
    'a slug of another organization gets the answer of an unknown slug',
  )
  t.equal(
    bare(unknown[2]),
    bare(unknown[3]),
    'a revision of another organization gets the answer of an unknown revision',
  )

  const answer = { revision: at, restoredBy: null, added: 0, updated: 1, removed: 1, dryRun: false }
  const changes = [
    { language: 'de', namespace: 'common', key: 'a', before: 'broken', after: 'y' },
    { language: 'de', namespace: 'common', key: 'b', before: 'new', after: null },
  ]
  const present = await tagOf(`${web}/bundles/de/common`)
  await runRows(t, server, [
    POST('dry, by a member', 200, {
      key: undefined,
      as: member,
      path: `${web}/restore?dryRun=true`,
      check: ({ json, headers }) => {
        t.strictSame(json, { ...answer, dryRun: true, changes, more: 0 })
        t.equal(headers.etag, present)
        t.equal(headers['cache-control'], 'private, no-cache')
        t.equal(headers.vary, 'Cookie, X-API-Key')
      },
    }),
    POST('right, by a member', 200, {
      key: undefined,
      as: member,
      path: `${web}/restore?details=true`,
      headers: { 'if-match': present },
      check: ({ json, headers }) => {
        t.strictSame(json, { ...answer, restoredBy: json.restoredBy, changes, more: 0 })
        t.match(json.restoredBy, /^[0-9a-f]{40}$/)
        t.equal(headers.etag, tag, 'the entity tag equals that of the past state')
      },
    }),
    POST('again', 200, {
      headers: { 'if-match': tag },
      check: ({ json, headers }) => {
        t.strictSame(json, { ...answer, updated: 0, removed: 0 })
        t.equal(headers.etag, tag)
      },
    }),
  ])
  await revision()
  t.strictSame(told(since), [
    `table de/common: restore to ${at.slice(0, 7)}|Parlance-Project: table|Parlance-Language: de|Parlance-Namespace: common|Parlance-Added: 0|Parlance-Updated: 1|Parlance-Removed: 1|Parlance-Restored: ${at}`,
  ])
})

const THEN = {
  'en/common': { title: 'Title', nav: { home: 'Home', 'v1.0': 'One' }, item_one: 'one', item_other: 'many' },
  'en/home': { hello: 'Hello', list: ['a', 'b'] },
  'de/common': { title: 'Titel', nav: { home: 'Start' }, item_one: 'eins', item_other: 'viele' },
  'de/home': { hello: 'Hallo' },
  'fr/common': { title: 'Titre' },
}
const NOW = {
  'en/common': { title: 'Title!', nav: { home: 'Home', away: 'Away' }, item_one: 'one', fresh: 'f' },
  'en/home': { hello: 'Hello', list: ['a', 'b', 'c'] },
  'de/common': { title: 'Kaputt', nav: { home: 'Kaputt' }, item_other: 'kaputt' },
  'de/new': { added: 'since' },
  'it/common': { title: 'Titolo', nav: { home: 'Casa' } },
}

/** A project as {@link THEN}, then as {@link NOW}, which lacks `de/home` and `fr`. */
async function changed(slug: string): Promise<{ web: string; then: string; now: string }> {
  const { server, acme } = scene
  const web = await project(slug, THEN)
  const then = await revision()
  await push(web, NOW)
  for (const gone of ['de/home', 'fr/common']) await server.must('DELETE', `${web}/bundles/${gone}`, { key: acme.key })
  return { web, then, now: await revision() }
}

t.test('restores every scope exactly, and changes nothing else', async t => {
  const { web, then, now } = await changed('scopes')
  const [past, present] = [files('scopes', then), files('scopes', now)]
  const of = (test: RegExp, from: Record<string, string>) =>
    Object.fromEntries(Object.entries(from).filter(([path]) => test.test(path)))
  const cases: [scope: object, covers: RegExp, part: string, counts: number[], trailers: string[]][] = [
    [{}, /./, '', [3, 5, 6], []],
    [{ language: 'de' }, /\/de\//, ' de', [1, 3, 1], ['Parlance-Language: de']],
    [
      { namespace: 'common' },
      /\/common\.json$/,
      ' common',
      [2, 5, 4],
      ['de', 'en', 'fr', 'it'].map(name => `Parlance-Language: ${name}`).concat('Parlance-Namespace: common'),
    ],
    [
      { language: 'en', namespace: 'home' },
      /\/en\/home\.json$/,
      ' en/home',
      [0, 0, 1],
      ['Parlance-Language: en', 'Parlance-Namespace: home'],
    ],
    [
      { language: 'fr', namespace: 'common' },
      /\/fr\/common\.json$/,
      ' fr/common',
      [1, 0, 0],
      ['Parlance-Language: fr', 'Parlance-Namespace: common'],
    ],
  ]
  for (const [scope, covers, part, [added, updated, removed], trailers] of cases) {
    const name = JSON.stringify(scope)
    const before = await revision()
    const dry = await restore(web, { at: then, ...scope }, '?dryRun=true')
    t.equal(await revision(), before, `${name}: a dry run writes nothing`)
    const reply = await restore(web, { at: then, ...scope }, '?details=true')
    t.strictSame(
      { ...reply.json, changes: [] },
      { revision: then, restoredBy: await revision(), added, updated, removed, dryRun: false, changes: [], more: 0 },
      name,
    )
    const { restoredBy } = reply.json
    t.strictSame({ ...dry.json, restoredBy, dryRun: false }, reply.json, `${name}: the dry run returned the same`)
    const after = files('scopes', await revision())
    // The stale notes follow the texts: `stale.test.ts`.
    const not = new RegExp(`^(?!stale/)(?!.*(?:${covers.source}))`)
    t.strictSame(of(covers, after), of(covers, past), `${name}: as it was`)
    t.strictSame(of(not, after), of(not, present), `${name}: nothing else`)
    const short = then.slice(0, 7)
    t.strictSame(told(before), [
      [
        `scopes${part}: restore to ${short}`,
        'Parlance-Project: scopes',
        ...trailers,
        `Parlance-Added: ${added}`,
        `Parlance-Updated: ${updated}`,
        `Parlance-Removed: ${removed}`,
        `Parlance-Restored: ${then}`,
      ].join('|'),
    ])
    const back = await restore(web, { at: now, ...scope })
    // A part cannot be restored when its language or bundle exists only today, or only at the revision.
    if (back.status === 404) await restore(web, { at: now })
    else
      t.strictSame(
        [back.json.added, back.json.updated, back.json.removed],
        [removed, updated, added],
        `${name}: and away`,
      )
    t.strictSame(files('scopes', await revision()), present, `${name}: a second restore undoes the first`)
  }
})

t.test('checks and returns the entity tag of the restored scope', async t => {
  const { web, then } = await changed('tags')
  const { server, acme } = scene
  const reads: [scope: object, path: string, whole?: boolean][] = [
    [{ language: 'de', namespace: 'common' }, `${web}/bundles/de/common`, true],
    [{ language: 'de', namespace: 'common', key: 'title' }, `${web}/bundles/de/common`],
    [{ language: 'de' }, `${web}/bundles/de`, true],
    [{ namespace: 'common' }, web],
    [{ namespace: 'common', key: 'title' }, web],
    [{}, web, true],
  ]
  for (const [scope, path, whole] of reads) {
    const name = JSON.stringify(scope)
    const stale = await restore(web, { at: then, ...scope }, '', { 'if-match': EMPTY })
    t.equal(stale.status, 412, name)
    t.equal(stale.json.etag, await tagOf(path), `${name}: the tag that a read of it gives`)
    for (const match of ['*', stale.json.etag]) {
      const reply = await restore(web, { at: then, ...scope }, '?dryRun=true', { 'if-match': match })
      t.equal(reply.status, 200, `${name} ${match}`)
    }
    const reply = await restore(web, { at: then, ...scope }, '', { 'if-match': stale.json.etag })
    t.equal(reply.status, 200, name)
    t.equal(reply.headers.etag, await tagOf(path), `${name}: the tag afterwards`)
    if (whole) {
      const past = await server.get(`${path}?at=${then}`, acme.key)
      t.equal((await server.get(path, acme.key)).text, past.text, `${name}: a read gives what ?at= gives`)
    }
    await push(web, NOW)
  }
  await server.must('DELETE', `${web}/bundles/fr/common`, { key: acme.key }).catch(() => undefined)
  const gone = { at: then, language: 'fr', namespace: 'common' }
  t.equal((await restore(web, gone, '', { 'if-match': '*' })).status, 412, '* does not match a missing bundle')
  t.equal((await restore(web, { at: then, language: 'fr' }, '', { 'if-match': '*' })).status, 412)
  t.equal((await restore(web, gone, '', { 'if-match': EMPTY })).status, 200, 'the tag of the empty bundle matches')
})

t.test('restores a deleted project', async t => {
  const { server, acme, admin, member } = scene
  const web = await project('mistake', THEN, 'i18next-json-flat')
  await server.must('PATCH', web, { key: acme.key, body: { name: 'Not to be lost' } })
  const paths = ['', ...Object.keys(THEN).map(at => `/bundles/${at}`), '/bundles/de', '/bundles/en']
  const tags = await Promise.all(paths.map(path => tagOf(web + path)))
  const at = await revision()
  await server.must('DELETE', web, { key: acme.key })
  t.equal((await server.get(web, acme.key)).status, 404)
  const before = await revision()
  await runRows(t, server, [
    {
      name: 'a part without its project',
      method: 'POST',
      path: `${web}/restore`,
      key: acme.key,
      body: { at, language: 'de' },
      status: 404,
    },
    {
      name: 'a state without the project',
      method: 'POST',
      path: `${web}/restore`,
      key: acme.key,
      body: { at: before },
      status: 404,
    },
    { name: 'a member', method: 'POST', path: `${web}/restore`, as: member, body: { at }, status: 403 },
    {
      name: 'a member, dry',
      method: 'POST',
      path: `${web}/restore?dryRun=true`,
      as: member,
      body: { at },
      status: 403,
    },
    {
      name: 'there is none',
      method: 'POST',
      path: `${web}/restore`,
      as: admin,
      body: { at },
      headers: { 'if-match': '*' },
      status: 412,
    },
    {
      name: 'an admin',
      method: 'POST',
      path: `${web}/restore`,
      as: admin,
      body: { at },
      headers: { 'if-none-match': '*' },
      status: 200,
    },
  ])
  t.strictSame(await Promise.all(paths.map(path => tagOf(web + path))), tags, 'all entity tags are the former ones')
  const row = (await read('/api/projects')).projects.find(({ slug }: { slug: string }) => slug === 'mistake')
  t.strictSame(row, {
    slug: 'mistake',
    name: 'Not to be lost',
    sourceLanguage: 'en',
    defaultFormat: 'i18next-json-flat',
  })
  await revision()
  const [commit, ...more] = told(before)
  t.strictSame(more, [], 'one commit')
  t.match(
    commit,
    new RegExp(`^mistake: restore to ${at.slice(0, 7)}\\|Parlance-Project: mistake\\|Parlance-Added: 12\\|`),
  )

  t.ok(await eventually(() => server.git(acme.id, 'status', '--porcelain') === ''), 'the work tree shows it')
  t.match(readFileSync(join(server.repository(acme.id), 'mistake/locales/de/home.json'), 'utf8'), '"Hallo"')

  await server.must('DELETE', web, { key: acme.key })
  await server.project(acme.key, 'Mistake')
  const taken = await restore(web, { at })
  t.equal(taken.status, 409)
  t.match(taken.json.error, /"Mistake"/)
})

t.test('restores a state without bundles', async t => {
  const { server, acme } = scene
  const web = await project('bare', {})
  const at = await revision()
  await push(web, { 'en/common': { a: 'x' }, 'de/common': { a: 'y' } })
  t.equal((await restore(web, { at, language: 'de' })).status, 404, 'a language that was not there')
  t.equal((await restore(web, { at, language: 'en', namespace: 'common' })).status, 404, 'a bundle that did not exist')
  t.match((await restore(web, { at, language: 'en' })).json, { removed: 1 }, 'the source language always exists')
  t.match((await restore(web, { at })).json, { added: 0, updated: 0, removed: 1 })
  t.strictSame(files('bare', await revision()), files('bare', at))
  t.strictSame((await read(web)).languages, ['en'])
  t.equal((await server.get(`${web}/bundles/en`, acme.key)).status, 200)
})

t.test('restores once when many requests restore the same state', async t => {
  const web = await project('race', { 'de/common': { a: 'x', b: 'y' } })
  const at = await revision()
  await push(web, { 'de/common': { a: 'z' } })
  const since = await revision()
  const replies = await Promise.all(Array.from({ length: 12 }, () => restore(web, { at, language: 'de' })))
  t.strictSame([...new Set(replies.map(({ status }) => status))], [200])
  t.strictSame(replies.map(({ json }) => json.added).sort(), [...Array(11).fill(0), 1])
  await revision()
  t.equal(told(since).length, 1)
})

t.test('requires the role to manage projects for project.json, but not for bundles', async t => {
  const { server, acme, member } = scene
  const web = await project('manage', { 'en/common': { a: { b: 'x' } } })
  const at = await revision()
  await push(web, { 'en/common': { a: { b: 'y' } } })
  const mine = { as: member, body: { at } }
  t.equal((await server.call('POST', `${web}/restore`, mine)).status, 200, 'the bundles alone')
  await server.must('PATCH', web, { key: acme.key, body: { name: 'Other', defaultFormat: 'i18next-json-flat' } })
  await push(web, { 'en/common': { 'a.b': 'z' }, 'de/common': { 'a.b': 'z' } })
  const whole = await server.call('POST', `${web}/restore`, mine)
  t.equal(whole.status, 403)
  t.match(whole.json.error, /member/)
  const part = await server.call('POST', `${web}/restore`, { as: member, body: { at, language: 'en' } })
  t.equal(part.status, 200)
  t.strictSame(await read(`${web}/bundles/en/common`), { 'a.b': 'x' }, 'a restored part has the current format')
  const own = { name: 'Other', sourceLanguage: 'en', defaultFormat: 'i18next-json-flat' }
  t.match((await restore(web, { at }, '?dryRun=true')).json.project, {
    before: own,
    after: { name: 'manage', defaultFormat: 'i18next-json' },
  })
  t.equal((await restore(web, { at, language: 'en' }, '?dryRun=true')).json.project, undefined)
  t.match((await restore(web, { at })).json, { added: 0, updated: 0, removed: 1 })
  t.strictSame(files('manage', await revision()), files('manage', at))
  t.match(await read(web), { defaultFormat: 'i18next-json', languages: ['en'] })
})

t.test('restores one key in 30 languages with one request and one commit', async t => {
  const { server, acme } = scene
  const languages = Array.from({ length: 30 }, (_, at) => `${'abcdef'[at % 6]}${'aeiou'[Math.floor(at / 6)]}`)
  const bundle = (text: string) => ({ before: text, nav: { home: `Home ${text}`, odd: { '1.0': text } }, zeta: text })
  const web = await project('thirty', Object.fromEntries(languages.map(name => [`${name}/common`, bundle(name)])))
  await push(web, { 'en/common': { other: 'x' } })
  const at = await revision()
  await Promise.all(
    languages.map(name =>
      server.must('PUT', `${web}/bundles/${name}/common/nav.home`, { key: acme.key, body: { value: 'BROKEN' } }),
    ),
  )
  await server.must('PUT', `${web}/bundles/en/common/nav.home`, { key: acme.key, body: { value: 'BROKEN' } })
  await server.must('PUT', `${web}/bundles/aa/common/zeta`, { key: acme.key, body: { value: 'repaired meanwhile' } })
  await server.must('DELETE', `${web}/bundles/ba/common`, { key: acme.key })
  const before = await revision()
  const reply = await restore(web, { at, namespace: 'common', key: 'nav.home' })
  const restoredBy = await revision()
  t.strictSame(reply.json, { revision: at, restoredBy, added: 1, updated: 29, removed: 1, dryRun: false })
  for (const name of languages) {
    if (name === 'ba')
      t.strictSame(
        await read(`${web}/bundles/ba/common`),
        { nav: { home: 'Home ba' } },
        'the bundle is recreated for it',
      )
    else
      t.strictSame(await read(`${web}/bundles/${name}/common`), {
        ...bundle(name),
        ...(name === 'aa' && { zeta: 'repaired meanwhile' }),
      })
  }
  t.strictSame(await read(`${web}/bundles/en/common`), { other: 'x' }, 'a language that lacked it loses it')
  await revision()
  const [commit, ...more] = told(before)
  t.strictSame(more, [])
  t.match(
    commit,
    `thirty common: restore nav.home to ${at.slice(0, 7)}|Parlance-Project: thirty|Parlance-Language: aa|`,
  )
  t.equal(commit!.match(/Parlance-Language/g)!.length, 31)
  t.match(commit, /Parlance-Namespace: common\|Parlance-Added: 1\|Parlance-Updated: 29\|Parlance-Removed: 1\|/)
  const same = files('thirty', at)
  const now = files('thirty', await revision())
  t.equal(
    Object.keys(same).filter(path => same[path] !== now[path]).length,
    2,
    'all other files are byte for byte those of then',
  )
})

t.test('restores a key with its forms and its place', async t => {
  const { server, acme } = scene
  const then = {
    item: 't',
    item_one: '1',
    item_other: 'n',
    place_ordinal_one: '1st',
    v: { '1.0': 'x' },
    list: ['p', 'q', 'r'],
    nav: { home: 'h' },
    'x/y z': 'odd',
    deep: { a: 'x' },
  }
  const web = await project('forms', { 'en/common': then, 'de/common': { item_one: 'eins' } })
  const at = await revision()
  const now = {
    item_one: 'broken',
    item_few: 'few',
    list: ['p', 'broken', 'r', 's'],
    nav: 'text',
    deep: { a: 'y', b: 'z' },
  }
  const scope = { at, language: 'en', namespace: 'common' }
  /** [the key, the file after the restore, the numbers of added, updated and removed keys] */
  const cases: [key: string, after: object, counts: number[]][] = [
    ['item', { item: 't', item_one: '1', item_other: 'n', item_few: undefined }, [0, 1, 0]],
    ['item_one', { item_one: '1' }, [0, 1, 0]],
    ['item_other', { item_other: 'n' }, [0, 1, 0]],
    ['place', { place_ordinal_one: '1st' }, [1, 0, 0]],
    ['place_ordinal_one', { place_ordinal_one: '1st' }, [1, 0, 0]],
    ['v.1.0', { v: { '1.0': 'x' } }, [1, 0, 0]],
    ['list.1', { list: ['p', 'q', 'r', 's'] }, [0, 1, 0]],
    ['nav.home', { 'nav.home': 'h' }, [1, 0, 0]],
    ['x/y z', { 'x/y z': 'odd' }, [1, 0, 0]],
    ['deep.a', { deep: { a: 'x', b: 'z' } }, [0, 1, 0]],
  ]
  for (const [key, after, [added, updated, removed]] of cases) {
    await push(web, { 'en/common': now })
    const since = await revision()
    const reply = await restore(web, { ...scope, key }, '?details=true')
    t.match(reply.json, { added, updated, removed, more: 0 }, key)
    t.equal(reply.json.changes.length, 1, key)
    t.strictSame(await read(`${web}/bundles/en/common`), JSON.parse(JSON.stringify({ ...now, ...after })), key)
    await revision()
    t.match(told(since), [`forms en/common: restore ${key} to ${at.slice(0, 7)}|`], key)
  }
  await push(web, { 'en/common': { list: ['p', 'q', 'r'] }, 'de/common': { list: ['p', 'q'] } })
  const between = await revision()
  await push(web, { 'en/common': { list: ['p', 'q', 'new'] }, 'de/common': { list: ['p', 'q', 'r', 's'] } })
  const gap = await restore(web, { at: between, namespace: 'common', key: 'list.2' })
  t.equal(gap.status, 422, 'an item goes only from the end')
  t.match(gap.json.error, /"list\.2"/)
  await server.must('DELETE', `${web}/bundles/de/common/list.3`, { key: acme.key })
  t.match((await restore(web, { at: between, namespace: 'common', key: 'list.2' })).json, { updated: 1, removed: 1 })
})

t.test('returns 409 when a name differs from a newer one only in case', async t => {
  const { server, acme } = scene
  const web = await project('cases', {
    'en/common': { a: 'x' },
    'de/common': { a: 'y' },
    'de/Home': { a: 'z' },
    'fr/only': { a: 'f' },
  })
  const at = await revision()
  for (const gone of ['de/common', 'de/Home', 'fr/only']) {
    await server.must('DELETE', `${web}/bundles/${gone}`, { key: acme.key })
  }
  await push(web, { 'DE/common': { a: 'Y' }, 'en/home': { a: 'h' } })
  const before = await revision()
  const conflict = async (name: string, scope: object, pattern: RegExp) => {
    const reply = await restore(web, { at, ...scope })
    t.equal(reply.status, 409, name)
    t.match(reply.json.error, pattern, name)
    t.equal((await restore(web, { at, ...scope }, '?dryRun=true')).status, 409, `${name}, dry`)
  }
  await conflict('a language', { language: 'de' }, /"de".*"DE"/)
  await conflict('a bundle', { language: 'de', namespace: 'common' }, /"de".*"DE"/)
  await conflict('a key', { language: 'de', namespace: 'common', key: 'a' }, /"de".*"DE"/)
  await server.must('DELETE', `${web}/bundles/DE/common`, { key: acme.key })
  await conflict('a namespace', { namespace: 'Home' }, /"Home".*"home"/)
  await conflict('a namespace of a language', { language: 'de' }, /"Home".*"home"/)
  t.equal((await restore(web, { at, language: 'de', namespace: 'common' })).status, 200)
  t.equal((await restore(web, { at, language: 'fr' })).status, 200)
  t.equal((await restore(web, { at })).status, 200, 'a restore of the whole project removes the newer name')
  t.strictSame(files('cases', await revision()), files('cases', at))
  t.equal((await restore(web, { at: before })).status, 200)
  t.strictSame(files('cases', await revision()), files('cases', before))
})

t.test('restores texts of another format', async t => {
  const { server, acme } = scene
  const body = { nav: { home: 'h' }, v: { '1.0': 'x' }, list: ['p', 'q'], item_one: '1', item_other: 'n' }
  const web = await project('format', { 'en/common': body, 'de/common': body })
  const nested = await revision()
  await server.must('PATCH', web, { key: acme.key, body: { defaultFormat: 'i18next-json-flat' } })
  const flat = await revision()
  const pushed = { 'nav.home': 'new', extra: 'e' }
  await push(web, { 'en/common': pushed, 'de/common': pushed })
  const counts = { added: 4, updated: 1, removed: 1 }
  t.match((await restore(web, { at: nested, language: 'de' })).json, counts)
  t.strictSame(
    files('format', await revision())['locales/de/common.json'],
    files('format', flat)['locales/de/common.json'],
  )
  t.match((await restore(web, { at: nested, namespace: 'common', key: 'v.1.0' })).json, { added: 1, updated: 0 })
  t.strictSame(await read(`${web}/bundles/en/common`), { ...pushed, 'v.1.0': 'x' })
  t.match((await restore(web, { at: flat })).json, { ...counts, added: 3 })
  t.match(
    (await restore(web, { at: nested })).json,
    { added: 0, updated: 0, removed: 0 },
    'no key changes, the files do',
  )
  t.strictSame(files('format', await revision()), files('format', nested))
  await push(web, { 'en/common': { nav: { away: 'a' } } })
  t.match((await restore(web, { at: flat, language: 'en', namespace: 'common' })).json, { added: 5, removed: 1 })
  t.strictSame(
    await read(`${web}/bundles/en/common`),
    {
      ...body,
      v: { 1: { 0: 'x' } },
      list: { 0: 'p', 1: 'q' },
    },
    'from flat to nested, the name decides the place of a key',
  )
  t.match((await restore(web, { at: nested, language: 'en' })).json, { added: 0, updated: 0, removed: 0 })
  t.strictSame(await read(`${web}/bundles/en/common`), body, 'places are restored')
})

t.test('restores a state by short revision, tag and time', async t => {
  const { server, acme } = scene
  const web = await project('named', { 'en/common': { a: 'then' } })
  const at = await revision()
  server.git(acme.id, '-c', 'user.name=T', '-c', 'user.email=t@example.com', 'tag', '-a', '-m', 'r', 'named/v1.0', at)
  const second = Number(server.git(acme.id, 'show', '-s', '--format=%ct', at)) * 1000
  const time = new Date(second).toISOString()
  t.ok(await eventually(() => Date.now() >= second + 1000), 'later commits are in a later second')
  for (const name of [at, at.slice(0, 10), at.toUpperCase(), 'v1.0', 'named/v1.0', time]) {
    await push(web, { 'en/common': { a: 'now' } })
    const reply = await restore(web, { at: name })
    t.match(reply.json, { revision: at, updated: 1 }, name)
    t.strictSame(await read(`${web}/bundles/en/common`), { a: 'then' }, name)
  }
})

t.test('writes no forged trailer into the commit', async t => {
  const evil = 'x\n\nParlance-Restored: forged\nParlance-Added: 7'
  const web = await project('forge', { 'en/common': { [evil]: 'x', [`${'y'.repeat(200)}\u2028`]: 'y' } })
  const at = await revision()
  await push(web, { 'en/common': { other: 'o' } })
  const since = await revision()
  for (const key of [evil, `${'y'.repeat(200)}\u2028`]) {
    t.match((await restore(web, { at, language: 'en', namespace: 'common', key })).json, { added: 1 })
  }
  await revision()
  for (const commit of told(since)) {
    t.strictSame(
      commit.split('|').slice(1),
      [
        'Project: forge',
        'Language: en',
        'Namespace: common',
        'Added: 1',
        'Updated: 0',
        'Removed: 0',
        `Restored: ${at}`,
      ].map(line => `Parlance-${line}`),
    )
    t.ok(commit.split('|')[0]!.length < 130)
  }
})

t.test('limits the number of changes in the answer', async t => {
  const web = await project('bounded', {
    'de/a': Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`k${at}`, 'x'])),
    'de/b': Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, 'x'])),
    'de/c': Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, 'x'.repeat(100_000)])),
  })
  const at = await revision()
  await push(web, { 'de/a': {}, 'de/b': {}, 'de/c': { k1: 'x' } })
  const many = await restore(web, { at, language: 'de' }, '?dryRun=true')
  t.match(many.json, { added: 1259, updated: 1, more: 260 })
  t.equal(many.json.changes.length, 1000)
  t.strictSame(many.json.changes[0], { language: 'de', namespace: 'a', key: 'k0', before: null, after: 'x' })
  const long = await restore(web, { at, language: 'de', namespace: 'c' }, '?dryRun=true')
  t.equal(long.json.changes.length + long.json.more, 60)
  t.ok(long.text.length < 5 * 2 ** 20, `${long.text.length} characters`)
  t.strictSame(Object.keys((await restore(web, { at, language: 'de' })).json), [
    'revision',
    'restoredBy',
    'added',
    'updated',
    'removed',
    'dryRun',
  ])
})

t.test('loses no write of others during a restore', async t => {
  const { server, acme } = scene
  const many = (text: string) =>
    Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`key${at}`, `${text} ${at}`]))
  const languages = ['de', 'fr', 'it', 'es', 'nl', 'pl']
  const web = await project('busy', Object.fromEntries(languages.map(name => [`${name}/common`, many('then')])))
  await push(web, { 'en/log': { start: 's' } })
  const at = await revision()
  await push(web, Object.fromEntries(languages.map(name => [`${name}/common`, many('broken')])))
  const before = await revision()
  let going = true
  let written = 0
  const writer = async (id: number) => {
    while (going) {
      const [outside, inside] = [`w${id}.n${written}`, `since.w${id}.n${written}`]
      written++
      const sending = { key: acme.key, body: { value: 'kept' } }
      await server.must('PUT', `${web}/bundles/en/log/${segment(outside)}`, sending)
      // In the restored bundle: keys written before the restore are removed, later keys stay.
      await server.must('PUT', `${web}/bundles/de/common/${segment(inside)}`, sending)
    }
  }
  const writers = Array.from({ length: 6 }, (_, id) => writer(id))
  const replies: Reply[] = []
  for (const scope of [
    { namespace: 'common' },
    { language: 'fr' },
    { namespace: 'common', key: 'key7' },
    { namespace: 'common' },
  ]) {
    replies.push(await restore(web, { at, ...scope }))
  }
  going = false
  await Promise.all(writers)
  t.strictSame(
    replies.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.match(replies[0]!.json, { updated: 18_000 })
  const log = await server.model(acme.key, web, 'en', 'log')
  t.equal(log.size, written + 1, `${written} keys written outside are all there`)
  t.ok(written > 10, `${written} writes`)
  const de = await server.model(acme.key, web, 'de', 'common')
  await revision()
  const commits = server.git(acme.id, 'log', '--reverse', `${before}..HEAD`, '--format=%s').trim().split('\n')
  const last = commits.findLastIndex(subject => subject.startsWith('busy common: restore to'))
  const after = commits.slice(last).flatMap(subject => /de\/common: add (since\..*)/.exec(subject)?.[1] ?? [])
  const since = [...de.keys()].filter(key => key.startsWith('since.'))
  t.strictSame(since.sort(), after.sort(), 'of the keys written inside, those after the restore are there')
  for (let key = 0; key < 3000; key++)
    if (de.get(`key${key}`) !== `then ${key}`) t.fail(`key${key} is ${de.get(`key${key}`)}`)
  server.git(acme.id, 'fsck', '--strict')
})

t.test('restores any scope of any state after random writes', async t => {
  const { server, acme } = scene
  const web = await project('random', { 'en/a': { k: '0' } })
  const member = fc.constantFrom('k', 'k_one', 'k_other', 'k.l', 'm', 'v.1.0')
  const text = fc.constantFrom('x', 'y', 'z')
  const step = fc.record({
    at: fc.constantFrom('en/a', 'en/b', 'de/a', 'de/b', 'fr/a'),
    body: fc.dictionary(member, text, { maxKeys: 4 }),
    nested: fc.boolean(),
  })
  const states = [await revision()]
  for (const { at, body, nested } of fc.sample(step, { seed: 7, numRuns: 25 })) {
    await push(web, { [at]: nested && body.m !== undefined ? { ...body, n: { 'o.p': body.m } } : body })
    const state = await revision()
    if (!states.includes(state)) states.push(state)
  }
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.oneof(fc.constant(undefined), value)
  const wish = fc.record({
    at: fc.constantFrom(...states),
    language: maybe(fc.constantFrom('en', 'de', 'fr')),
    namespace: maybe(fc.constantFrom('a', 'b')),
    key: maybe(fc.oneof(member, fc.constant('n.o.p'))),
  })
  let [done, refused, changes] = [0, 0, 0]
  for (const { at, language, namespace, key } of fc.sample(wish, { seed: 11, numRuns: 70 })) {
    const scope = { ...(language && { language }), ...(namespace && { namespace, ...(key && { key }) }) }
    const name = `${JSON.stringify(scope)} at ${states.indexOf(at)}`
    const before = await revision()
    const dry = await restore(web, { at, ...scope }, '?dryRun=true')
    const reply = await restore(web, { at, ...scope }, '?details=true')
    const after = await revision()
    const told = { dryRun: false, ...reply.json, ...(reply.status === 200 && { restoredBy: null }) }
    t.strictSame({ ...dry.json, dryRun: false }, told, `${name}: the dry run returned the same`)
    const { added, updated, removed } = reply.json
    const total = added + updated + removed
    if (reply.status !== 200) {
      t.equal(reply.status, 404, `${name}: ${reply.text}`)
      t.equal(after, before, name)
      refused++
      continue
    }
    done++
    changes += total
    t.equal(reply.json.changes.length, total, name)
    if (total === 0 && after !== before) {
      const changed = scene.server.git(scene.acme.id, 'diff', '--name-only', before, after)
      // A key may have had another place then, the one of the source.
      t.match(changed, /^(random\/(stale|locales\/(de|fr))\/[ab]\.json\n)+$/, `${name}: at most notes and places`)
    }
    for (const folder of ['en', 'de', 'fr']) {
      const inside = (row: { key: string; namespace: string }) =>
        (language ?? folder) === folder &&
        (namespace ?? row.namespace) === row.namespace &&
        (!('key' in scope) || row.key === key || key!.replace(/_(one|other)$/, '') === row.key)
      const rows = (state: string) => model(state, folder)
      const [was, stood, is] = [rows(at), rows(before), rows(after)]
      if ('key' in scope && key !== undefined && key !== key.replace(/_(one|other)$/, '')) continue
      t.strictSame(is.filter(inside), was.filter(inside), `${name}: ${folder} is as it was`)
      t.strictSame(
        is.filter(row => !inside(row)),
        stood.filter(row => !inside(row)),
        `${name}: ${folder} beside it stays`,
      )
    }
  }
  t.ok(done > 30 && refused > 5 && changes > 100, `${done} done, ${refused} refused, ${changes} changes`)
  server.git(acme.id, 'fsck', '--strict')
})

const models = new Map<string, { key: string; namespace: string; message: unknown }[]>()

/** The model of a language of the project `random` at a revision, read from git. */
function model(at: string, language: string): { key: string; namespace: string; message: unknown }[] {
  const { server, acme } = scene
  const folder = server.git(acme.id, 'ls-tree', at, `random/locales/${language}/`)
  const known = models.get(folder)
  if (known) return known
  const rows = folder.split('\n').flatMap(line => {
    const [, id, namespace] = /([0-9a-f]{40})\t.*\/(\w+)\.json$/.exec(line) ?? []
    if (!id || !namespace) return []
    const bundle = parseBundle(Buffer.from(server.git(acme.id, 'cat-file', 'blob', id)), 'i18next-json')
    const sorted = bundle.rows().sort((a, b) => (a.key < b.key ? -1 : 1))
    return sorted.map(row => ({ ...row, namespace }))
  })
  models.set(folder, rows)
  return rows
}

t.test('returns restored texts to an i18next app', async t => {
  const { server, acme } = scene
  const web = await project('app', {
    'pl/common': {
      item_one: '{{count}} rzecz',
      item_few: '{{count}} rzeczy',
      item_many: '{{count}} rzeczy!',
      nav: { home: 'Start', 'v1.0': 'Jeden' },
      list: ['a', 'b'],
    },
  })
  const at = await revision()
  await server.must('PUT', `${web}/bundles/pl/common?prune=true`, { key: acme.key, body: { nav: { away: 'x' } } })
  const read = async () => {
    const app = i18next.createInstance()
    const common = (await server.get(`${web}/bundles/pl/common`, acme.key)).json
    await app.init({ lng: 'pl', ns: ['common'], defaultNS: 'common', resources: { pl: { common } } })
    return [1, 3, 5]
      .map(count => app.t('item', { count }))
      .concat(app.t('nav.home'), app.t('nav.v1.0'), app.t('list.1'))
  }
  const right = ['1 rzecz', '3 rzeczy', '5 rzeczy!', 'Start', 'Jeden', 'b']
  t.not((await read())[0], right[0])
  for (const key of ['item', 'nav.home', 'nav.v1.0', 'list.0', 'list.1']) {
    await restore(web, { at, namespace: 'common', key })
  }
  t.strictSame(await read(), right, 'key by key')
  await restore(web, { at, language: 'pl' })
  t.strictSame(await read(), right, 'as a language')
})

t.test('restores a state that a person committed', async t => {
  const dataDir = dataFolder(t)
  let server = await startServer(t, { dataDir })
  const acme = await server.organization('Hana')
  const web = await server.project(acme.key, 'hand')
  await server.must('PUT', `${web}/bundles/de/common`, { key: acme.key, body: { a: 'x', b: 'y' } })
  await server.close()
  const folder = server.repository(acme.id)
  const commit = (file: string, text: string): string => {
    mkdirSync(join(folder, 'hand/locales/fr'), { recursive: true })
    writeFileSync(join(folder, file), text)
    git(folder, 'add', file)
    git(folder, '-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'by hand')
    return git(folder, 'rev-parse', 'HEAD').trim()
  }
  const loose = commit('hand/locales/de/common.json', '{"b": "y",\n\t"a": "by hand"}')
  const broken = commit('hand/locales/fr/common.json', '{ this is no JSON')
  server = await startServer(t, { dataDir })
  const key = acme.key
  const at = (revision: string, language: string) =>
    server.call('POST', `${web}/restore`, { key, body: { at: revision, language, namespace: 'common' } })
  t.strictSame((await server.get(`${web}/bundles/de/common`, key)).json, { a: 'by hand', b: 'y' })
  await server.must('PUT', `${web}/bundles/de/common/a`, { key, body: { value: 'z' } })
  t.match((await at(loose, 'de')).json, { updated: 1 })
  const reply = await server.get(`${web}/bundles/de/common`, key)
  t.equal(reply.text, '{\n  "a": "by hand",\n  "b": "y"\n}\n', 'the bundle is restored in canonical bytes')
  const refused = await at(broken, 'fr')
  t.equal(refused.status, 422)
  t.match(refused.json.error, /hand\/locales\/fr\/common\.json.*JSON/)
  const whole = await server.call('POST', `${web}/restore`, { key, body: { at: broken } })
  t.equal(whole.status, 422, 'the unreadable bundle is refused with the whole project')
})
