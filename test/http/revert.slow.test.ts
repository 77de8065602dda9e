import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { dataFolder, git } from '../contract/server.ts'
import { openScene, type Reply, type Row, runRows, type Scene, startServer } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const NOBODYS = '1234567812345678123456781234567812345678'
const CHANGED = 'It has changed since.'

/** A project of Acme with bundles, `{ 'de/common': { … } }`. */
async function project(slug: string, bundles: Record<string, object>, format = 'i18next-json'): Promise<string> {
  const path = await scene.server.project(scene.acme.key, slug, 'en', format)
  await push(path, bundles)
  return path
}

/** One commit for each bundle. */
async function push(path: string, bundles: Record<string, object>): Promise<void> {
  for (const [at, body] of Object.entries(bundles)) {
    await scene.server.must('PUT', `${path}/bundles/${at}?prune=true`, { key: scene.acme.key, body })
  }
}

const put = (path: string, at: string, value: unknown) =>
  scene.server.must('PUT', `${path}/bundles/${at}`, { key: scene.acme.key, body: { value } })

/** The newest commit, once everything acknowledged is in the repository. */
const newest = (organization = scene.acme): Promise<string> => scene.server.newest(organization.id)

const revert = (path: string, revision: string, query = '', headers = {}): Promise<Reply> =>
  scene.server.call('POST', `${path}/revert${query}`, { key: scene.acme.key, body: { revision }, headers })

const read = async (path: string): Promise<Reply['json']> => (await scene.server.get(path, scene.acme.key)).json
const tagOf = async (path: string): Promise<string> => (await scene.server.get(path, scene.acme.key)).headers.etag!

/** Subject and trailers of the newest commit. */
async function told(): Promise<string[]> {
  await newest()
  const format = '--format=%s|%(trailers:unfold,separator=%x7c)'
  return scene.server.git(scene.acme.id, 'log', '-1', format).trim().split('|')
}

/** Trees of projects by `<revision>:<slug>`, which names the same tree for ever. */
const trees = new Map<string, string>()

/** The tree of a project at a revision. */
async function treeOf(slug: string, at: string): Promise<string> {
  const name = `${at}:${slug}`
  if (!trees.has(name)) {
    await newest()
    trees.set(name, scene.server.git(scene.acme.id, 'rev-parse', name).trim())
  }
  return trees.get(name)!
}

t.test('refuses other roles and wrong requests', async t => {
  const { server, acme, other, member, stranger, reader } = scene
  const web = await project('table', {})
  const created = await newest()
  await push(web, { 'en/common': { a: 'x', b: 'x' } })
  const added = await newest()
  await push(web, { 'en/common': { a: 'y', b: 'y', c: 'y' } })
  const at = await newest()
  const tag = await tagOf(web)
  await put(web, 'en/common/b', 'z')
  await server.project(other.key, 'theirs')
  const theirs = await newest(other)
  await project('another', { 'en/common': { a: 'x' } })
  const since = await newest()
  const loose = server.git(
    acme.id,
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@example.com',
    'commit-tree',
    `${at}^{tree}`,
  )
  const blob = server.git(acme.id, 'rev-parse', `${at}:table/project.json`).trim()
  const POST = (name: string, status: number, more: Partial<Row> & { revision?: unknown } = {}): Row => ({
    name,
    method: 'POST',
    path: `${web}/revert`,
    key: acme.key,
    status,
    body: { revision: 'revision' in more ? more.revision : at },
    ...more,
  })
  const says = (pattern: RegExp) => (reply: Reply) => t.match(reply.json.error, pattern)
  await runRows(t, server, [
    POST('nobody', 401, { key: undefined }),
    POST('a token that reads', 403, { key: reader }),
    POST('a token that reads, for a dry run', 403, { key: reader, path: `${web}/revert?dryRun=true` }),
    POST('a member of nothing', 403, { key: undefined, as: stranger }),
    POST('another organization', 404, { key: other.key }),
    POST('another organization, with a revision of its own', 404, { key: other.key, revision: theirs }),
    POST('a project that is not there', 404, { path: '/api/projects/none/revert', check: says(/no project "none"/) }),
    POST('a slug in another case', 404, { path: '/api/projects/Table/revert' }),
    POST('a bad slug', 400, { path: '/api/projects/a..b/revert' }),
    POST('a revision of another organization', 404, { revision: theirs }),
    POST('an unknown revision', 404, { revision: NOBODYS }),
    POST('a commit of no branch', 404, { revision: loose.trim(), check: says(/no revision/) }),
    POST('a file', 404, { revision: blob }),
    POST('a commit of another project alone', 404, {
      revision: since,
      check: says(/changed nothing of project "table"/),
    }),
    POST('before the first commit', 404, { revision: '2001-01-01', check: says(/no revision yet/) }),
    POST('a release that is not there', 404, { revision: 'v1' }),
    POST('no name of a revision', 400, { revision: 'HEAD~1' }),
    POST('an empty one', 400, { revision: '' }),
    POST('one that is no string', 400, { revision: 5 }),
    POST('none', 400, { body: {}, check: says(/Name the commit to undo as "revision"/) }),
    POST('an unknown field', 400, { body: { revision: at, language: 'de' }, check: says(/"language"/) }),
    POST('no JSON', 400, { body: '{' }),
    POST('no body', 400, { body: undefined }),
    POST('another type', 415, { headers: { 'content-type': 'text/plain' } }),
    POST('too large', 413, { revision: 'x'.repeat(20_000) }),
    POST('an unknown parameter', 400, { path: `${web}/revert?dryrun=true`, check: says(/dryRun/) }),
    POST('neither true nor false', 400, { path: `${web}/revert?dryRun=1` }),
    POST('the creation of the project', 422, {
      revision: created,
      check: says(/created project "table".*DELETE \/api\/projects\/table/),
    }),
    POST('stale', 412, { headers: { 'if-match': tag }, check: says(/project is not what If-Match says/) }),
    POST('stale, dry', 412, { headers: { 'if-match': tag }, path: `${web}/revert?dryRun=true` }),
    POST('there already', 412, { headers: { 'if-none-match': '*' } }),
    { name: 'another method', method: 'GET', path: `${web}/revert`, key: acme.key, status: 405 },
  ])
  t.equal(await newest(), since, 'none of these wrote')
  const bare = ({ status, text }: Reply) => `${status} ${text}`.replaceAll(theirs, NOBODYS)
  t.equal(
    bare(await revert(web, theirs)),
    bare(await revert(web, NOBODYS)),
    'a revision of another organization gets the answer of an unknown one',
  )

  const skipped = [{ language: 'en', namespace: 'common', key: 'b', reason: CHANGED }]
  const answer = { revision: at, reverted: 2, skipped, dryRun: false }
  const changes = [
    { language: 'en', namespace: 'common', key: 'a', before: 'y', after: 'x' },
    { language: 'en', namespace: 'common', key: 'c', before: 'y', after: null },
  ]
  const present = await tagOf(web)
  await runRows(t, server, [
    POST('dry, by a member', 200, {
      key: undefined,
      as: member,
      path: `${web}/revert?dryRun=true`,
      check: ({ json, headers }) => {
        t.strictSame(json, { ...answer, undoneBy: null, dryRun: true, changes, more: 0 })
        t.equal(headers.etag, present)
        t.equal(headers['cache-control'], 'private, no-cache')
      },
    }),
    POST('right, by a member, abbreviated', 200, {
      key: undefined,
      as: member,
      path: `${web}/revert?details=true`,
      revision: at.slice(0, 12),
      headers: { 'if-match': present },
      check: ({ json }) => t.strictSame({ ...json, undoneBy: '' }, { ...answer, undoneBy: '', changes, more: 0 }),
    }),
  ])
  t.strictSame(await read(`${web}/bundles/en/common`), { a: 'x', b: 'z' })
  const lines = ['Project: table', 'Added: 0', 'Updated: 1', 'Removed: 1', `Reverted: ${at}`]
  t.strictSame(await told(), ['table en/common: undo add 1, update 2 keys', ...lines.map(line => `Parlance-${line}`)])
  const undone = await newest()
  const again = await revert(web, at)
  const already = 'It is as it was before already.'
  t.match(again.json, {
    undoneBy: null,
    reverted: 0,
    skipped: [{ key: 'a', reason: already }, { key: 'b' }, { key: 'c' }],
  })
  t.equal(again.headers.etag, await tagOf(web))
  t.equal(await newest(), undone, 'nothing was left to undo, and nothing was written')

  const redone = await revert(web, undone)
  t.match(redone.json, { revision: undone, reverted: 2, skipped: [] })
  t.equal(redone.json.undoneBy, await newest(), 'the answer names the commit of the undo')
  t.equal(await tagOf(web), present, 'undoing the undo restores the same bytes')
  t.equal((await told())[0], 'table en/common: redo add 1, update 2 keys')
  t.match((await revert(web, redone.json.undoneBy)).json, { reverted: 2 })
  t.equal((await told())[0], 'table en/common: undo add 1, update 2 keys')
  t.match((await revert(web, added)).json, { reverted: 1, skipped: [{ key: 'b', reason: CHANGED }] })
  t.strictSame(await read(`${web}/bundles/en/common`), { b: 'z' })
})

t.test('undoes any kind of change', async t => {
  const { server, acme } = scene
  const { key } = acme
  const body = { item_one: '1', item_other: 'n', nav: { home: 'h', 'v1.0': 'v' }, list: ['p', { t: 'q' }] }
  const web = await project('kinds', { 'en/common': body, 'de/common': body, 'de/home': { a: 'x' } })
  const changes: [what: string, method: string, path: string, body?: unknown][] = [
    ['a form', 'PUT', '/bundles/de/common/item_one', { value: 'eins' }],
    ['a plural', 'PUT', '/bundles/de/common/item', { value: { few: 'f', other: 'm' } }],
    ['saveMissing', 'POST', '/bundles/fr/common', { fresh: { a: 'x' }, b: 'y' }],
    ['a push', 'PUT', '/bundles/en/common', { list: ['P', { t: 'Q', u: 'r' }], nav: { away: 'a' } }],
    ['one that removes', 'PUT', '/bundles/en/common?prune=true', { item: 'only' }],
    ['a key that goes', 'DELETE', '/bundles/de/common/nav.v1.0'],
    ['a form that goes', 'DELETE', '/bundles/de/common/item_other'],
    ['a bundle that goes', 'DELETE', '/bundles/de/home'],
    ['a rename', 'POST', '/rename-key', { namespace: 'common', from: 'nav.home', to: 'nav.start' }],
    ['a new name', 'PATCH', '', { name: 'New' }],
    ['another format', 'PATCH', '', { defaultFormat: 'i18next-json-flat' }],
    ['another name and format', 'PATCH', '', { name: 'Newer', defaultFormat: 'i18next-json-flat' }],
    ['all of it', 'DELETE', ''],
  ]
  const first = await newest()
  for (const [what, method, path, sent] of changes) {
    const before = await newest()
    await server.must(method, `${web}${path}`, { key, ...(sent !== undefined && { body: sent }) })
    const at = await newest()
    const dry = await revert(web, at, '?dryRun=true')
    t.equal(await newest(), at, `${what}: a dry run writes nothing`)
    const reply = await revert(web, at, '?details=true')
    t.strictSame(
      { ...dry.json, dryRun: false, undoneBy: reply.json.undoneBy },
      reply.json,
      `${what}: the dry run returned the same`,
    )
    t.strictSame(reply.json.skipped, [], what)
    t.equal(
      reply.json.project !== undefined,
      path === '',
      `${what}: the fields of the project are returned when they change`,
    )
    t.equal(
      await treeOf('kinds', reply.json.undoneBy),
      await treeOf('kinds', before),
      `${what}: the same bytes as before`,
    )
    t.equal(reply.headers.etag, `W/"${await treeOf('kinds', reply.json.undoneBy)}"`, what)
    if (method === 'DELETE' && path === '') continue
    const redone = await revert(web, reply.json.undoneBy)
    t.equal(await treeOf('kinds', redone.json.undoneBy), await treeOf('kinds', at), `${what}: undone again`)
    await revert(web, redone.json.undoneBy)
  }
  t.equal(await treeOf('kinds', await newest()), await treeOf('kinds', first))
  server.git(acme.id, 'fsck', '--strict')
})

t.test('undoes a restore that removed a source text and its stale note', async t => {
  const web = await project('noted', { 'de/common': { k: 'T' } })
  const then = await newest()
  await put(web, 'en/common/k', 'X')
  await put(web, 'en/common/k', 'Y')
  const before = await newest()
  await scene.server.must('POST', `${web}/restore`, { key: scene.acme.key, body: { at: then } })
  const at = await newest()
  const undone = await revert(web, at)
  t.match(undone.json, { reverted: 1, stale: { added: 1, removed: 0 } }, 'T translates X again')
  t.equal(await treeOf('noted', undone.json.undoneBy), await treeOf('noted', before), 'the same bytes as before')
  const redone = await revert(web, undone.json.undoneBy)
  t.equal(await treeOf('noted', redone.json.undoneBy), await treeOf('noted', at), 'undone again')
})

t.test('undoes a commit on top of later changes', async t => {
  const { server, acme } = scene
  const web = await project('since', {
    'en/common': { a: 'x', item_one: '1', item_other: 'n' },
    'de/common': { a: 'x' },
  })
  await push(web, { 'en/common': { a: 'y', item_one: '1!', item_other: 'n!', nav: { home: 'h' } } })
  const at = await newest()
  await put(web, 'en/common/item_other', 'now')
  await put(web, 'en/common/fresh', 'f')
  await server.must('PATCH', web, { key: acme.key, body: { defaultFormat: 'i18next-json-flat' } })
  await put(web, 'de/common/a', 'since')
  const reply = await revert(web, at)
  const reason = 'Not all of it is undone: "item_other" changed since.'
  t.match(reply.json, { reverted: 3, skipped: [{ language: 'en', namespace: 'common', key: 'item', reason }] })
  const expected = { a: 'x', fresh: 'f', item_one: '1', item_other: 'now' }
  t.strictSame(await read(`${web}/bundles/en/common`), expected)
  t.strictSame(await read(`${web}/bundles/de/common`), { a: 'since' })
})

t.test('requires the right to manage projects for an undo of a project change', async t => {
  const { server, acme, admin, member } = scene
  const web = await project('rights', { 'en/common': { a: 'x' } })
  const before = await newest()
  await server.must('PATCH', web, { key: acme.key, body: { name: 'New' } })
  const renamed = await newest()
  const as = (who: typeof member, revision: string, query = '') =>
    server.call('POST', `${web}/revert${query}`, { as: who, body: { revision } })
  for (const query of ['', '?dryRun=true']) {
    const refused = await as(member, renamed, query)
    t.equal(refused.status, 403)
    t.match(refused.json.error, /owner or admin/)
  }
  const undone = await as(admin, renamed)
  const fields = { name: 'rights', sourceLanguage: 'en', defaultFormat: 'i18next-json' }
  t.strictSame(undone.json.project, { before: { ...fields, name: 'New' }, after: fields })
  t.match((await as(member, renamed)).json, { undoneBy: null, reverted: 0 }, 'nothing is left to undo')
  await server.must('DELETE', web, { key: acme.key })
  const deleted = await newest()
  t.equal((await as(member, deleted)).status, 403, 'the undo of a deletion')
  t.match((await as(admin, renamed)).json.error, /no project "rights" any more/)
  const back = await as(admin, deleted)
  t.strictSame(back.json.project, { before: null, after: fields })
  t.equal(await treeOf('rights', await newest()), await treeOf('rights', before))
  t.equal((await told())[0], 'rights: undo delete project rights')

  await server.must('DELETE', web, { key: acme.key })
  const again = await newest()
  await server.project(acme.key, 'Rights')
  t.match((await as(admin, again)).json.error, /Project "Rights" has the slug/)
})

t.test('returns 409 when a name differs from a newer one only in case', async t => {
  const { server, acme } = scene
  const web = await project('cases', { 'de/common': { a: 'x' } })
  await server.must('DELETE', `${web}/bundles/de/common`, { key: acme.key })
  const at = await newest()
  await push(web, { 'DE/common': { a: 'y' } })
  const reply = await revert(web, at)
  t.equal(reply.status, 409)
  t.match(reply.json.error, /"de" differs only in case from "DE"/)
})

t.test('computes an undo of large bundles in the worker while others write', async t => {
  const { server, acme } = scene
  const many = (text: string) =>
    Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`key${at}`, `${text} ${at} ${'long '.repeat(30)}`]))
  const web = await project('large', { 'en/common': many('then') })
  await push(web, { 'en/common': many('broken') })
  const at = await newest()
  await push(web, { 'en/log': { start: 's' } })
  let going = true
  let written = 0
  const writer = async () => {
    while (going) await put(web, `en/${written % 4 === 0 ? 'common' : 'log'}/new${written++}`, 'kept')
  }
  const writers = [writer(), writer()]
  const reply = await revert(web, at)
  going = false
  await Promise.all(writers)
  t.match(reply.json, { reverted: 9_000, skipped: [] })
  const common = await server.model(acme.key, web, 'en', 'common')
  const log = await server.model(acme.key, web, 'en', 'log')
  t.equal(common.size + log.size, 9_000 + 1 + written, 'nothing is lost')
  t.match(common.get('key8999'), /^then 8999 /)
})

t.test('undoes more namespaces with stale notes than the maximum of re-runs', async t => {
  const { server, acme } = scene
  const web = await project('many', {})
  const of = (text: string) => Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key${at}`, `${text} ${at}`]))
  const namespaces = Array.from({ length: 24 }, (_, at) => `ns${at}`)
  const languages = ['en', ...Array.from({ length: 11 }, (_, at) => `de-x-l${at}`)]
  const bundles = Object.fromEntries(
    languages.map(language => [language, Object.fromEntries(namespaces.map(name => [name, of(language)]))]),
  )
  await server.must('POST', `${web}/push`, { key: acme.key, body: { bundles } })
  const before = await newest()
  for (const [method, body] of [['PATCH', { defaultFormat: 'i18next-json-flat' }], ['DELETE']] as const) {
    await server.must(method, web, { key: acme.key, ...(body && { body }) })
    const reply = await revert(web, await newest())
    t.equal(reply.status, 200, `${method}: ${reply.text.slice(0, 200)}`)
    t.equal(await treeOf('many', reply.json.undoneBy), await treeOf('many', before), method)
  }
})

t.test('undoes commits of people: a side branch, its merge, unreadable files', async t => {
  const dataDir = dataFolder(t)
  let server = await startServer(t, { dataDir })
  const acme = await server.organization('Hana')
  const web = await server.project(acme.key, 'hand')
  await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: { a: 'x', b: 'x', c: 'x' } })
  await server.close()
  const folder = server.repository(acme.id)
  const as = ['-c', 'user.name=P', '-c', 'user.email=p@example.com']
  const commit = (file: string, text: string): string => {
    mkdirSync(join(folder, 'hand/locales/fr'), { recursive: true })
    writeFileSync(join(folder, file), text)
    git(folder, 'add', file)
    git(folder, ...as, 'commit', '-qm', `by hand: ${file}`)
    return git(folder, 'rev-parse', 'HEAD').trim()
  }
  git(folder, 'checkout', '-q', '-b', 'side')
  const side = commit('hand/locales/en/common.json', '{"a": "side", "b": "x",\n\t"c": "x"}')
  git(folder, 'checkout', '-q', 'main')
  const broken = commit('hand/locales/fr/common.json', '{ this is no JSON')
  const notes = commit('hand/notes.txt', 'no bundle')
  git(folder, ...as, 'merge', '-q', '--no-ff', '-m', 'a merge', 'side')
  const merge = git(folder, 'rev-parse', 'HEAD').trim()
  git(folder, 'checkout', '-q', '-b', 'other')
  const elsewhere = commit('hand/locales/en/common.json', '{"a": "elsewhere"}')
  git(folder, 'checkout', '-q', 'main')
  server = await startServer(t, { dataDir })
  const revert = (revision: string, query = '') =>
    server.call('POST', `${web}/revert${query}`, { key: acme.key, body: { revision } })
  const texts = async () => (await server.get(`${web}/bundles/en/common`, acme.key)).json
  t.strictSame(await texts(), { a: 'side', b: 'x', c: 'x' })
  t.equal((await revert(elsewhere)).status, 404, 'a commit of another branch')
  t.match((await revert(notes)).json, { reverted: 0, skipped: [], undoneBy: null }, 'files that are no bundles stay')
  t.match((await revert(merge, '?dryRun=true')).json, { reverted: 1 }, 'the changes of a merge')
  t.match((await revert(side)).json, { reverted: 1 }, 'a commit that was merged')
  t.strictSame(await texts(), { a: 'x', b: 'x', c: 'x' })
  t.match((await revert(merge)).json, { reverted: 0, skipped: [{ key: 'a' }] })
  t.ok((await revert(broken)).status < 500)
  await server.must('PUT', `${web}/bundles/en/common/b`, { key: acme.key, body: { value: 'y' } })
  t.match((await revert('2099-01-01')).json, { reverted: 1 }, 'the newest one, by a time')
})

t.test('undoes an old commit', async t => {
  const { server, acme } = scene
  const web = await project('far', { 'en/common': { a: 'x' }, 'en/log': {} })
  await put(web, 'en/common/a', 'y')
  const at = await newest()
  for (let n = 0; n < 150; n++) await put(web, 'en/log/n', String(n))
  t.match((await revert(web, at)).json, { reverted: 1 })
  t.strictSame(await read(`${web}/bundles/en/common`), { a: 'x' })
  t.equal((await server.get(`${web}/history?key=a&namespace=common&limit=1`, acme.key)).json.revisions[0].after, 'x')
})
