/** Notes on keys: routes, pushes, and how a note follows its key. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { eventually, severalFolders } from '../contract/server.ts'
import { openScene, type Row, runRows, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const EMPTY = 'W/"0967ef424bce6791893e9a57bb952f80fd536e93"'

/** A project with texts in two languages. */
async function project(slug: string): Promise<string> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  for (const language of ['en', 'de']) {
    const body = { home: `Home ${language}`, nav: { back: 'x' }, item_one: 'i', item_other: 'j' }
    await server.must('PUT', `${path}/bundles/${language}/common`, { key: acme.key, body })
  }
  return path
}

const call = (method: string, path: string, body?: object, headers = {}) =>
  scene.server.call(method, path, { key: scene.acme.key, ...(body && { body }), headers })
const must = (method: string, path: string, body?: object) =>
  scene.server.must(method, path, { key: scene.acme.key, ...(body && { body }) })
const notesOf = async (path: string, ns = 'common') => (await must('GET', `${path}/notes/${ns}`)).json.notes
const newest = (): Promise<string> => scene.server.newest(scene.acme.id)
async function treeAt(revision: string, slug: string): Promise<string> {
  // Behind two nodes it may be at the other one until it is sealed.
  await scene.server.sealed(scene.acme.id)
  return scene.server.git(scene.acme.id, 'rev-parse', `${revision}:${slug}`)
}

t.test('sets, reads and removes a note', async t => {
  const { server, acme } = scene
  const web = await project('web')
  const bundle = (await must('GET', `${web}/bundles/en/common`)).headers.etag
  const before = await server.commits(acme.id)
  const body = { note: 'The first page.', max: 12, tags: ['nav', 'nav'], refs: ['src/nav.tsx:8'] }
  const put = await must('PUT', `${web}/notes/common/home`, body)
  const note = { note: 'The first page.', max: 12, tags: ['nav'], refs: ['src/nav.tsx:8'], from: 'person' }
  t.strictSame(put.json, { key: 'home', namespace: 'common', ...note })
  t.strictSame((await must('GET', `${web}/notes/common/home`)).json, put.json)
  const all = await must('GET', `${web}/notes/common`)
  t.strictSame(all.json, { notes: { home: note } })
  t.equal(all.headers.etag, put.headers.etag)
  t.equal((await call('GET', `${web}/notes/common`, undefined, { 'if-none-match': all.headers.etag })).status, 304)
  t.equal((await must('GET', `${web}/bundles/en/common`)).headers.etag, bundle, 'the bundle stays')
  const noted = await newest()
  await must('PUT', `${web}/notes/common/home`, body)
  t.equal(await server.commits(acme.id), before + 1, 'an equal note is no commit')
  const [subject, ...trailers] = server.git(acme.id, 'log', '-1', '--format=%B').trim().split('\n').filter(Boolean)
  t.equal(subject, 'web common: note on home')
  t.strictSame(trailers, ['Parlance-Project: web', 'Parlance-Namespace: common'])
  t.equal(
    server.git(acme.id, 'show', 'HEAD:web/notes/common.json'),
    '{\n  "home": {\n    "note": "The first page.",\n    "max": 12,\n    "tags": [\n      "nav"\n    ],\n' +
      '    "refs": [\n      "src/nav.tsx:8"\n    ],\n    "from": "person"\n  }\n}\n',
  )
  t.strictSame((await must('PUT', `${web}/notes/common/home`, { max: 3 })).json.refs, body.refs, 'references stay')
  t.strictSame((await must('PUT', `${web}/notes/common/home`, { refs: [] })).json, { key: 'home', namespace: 'common' })
  t.equal(server.git(acme.id, 'ls-tree', await server.newest(acme.id), 'web/notes'), '', 'no empty file')
  t.strictSame(await notesOf(`${web}`), {})
  t.match((await call('GET', `${web}/notes/common`)).headers, { etag: EMPTY })
  t.strictSame((await call('GET', `${web}/notes/common?at=${noted}`)).json, { notes: { home: note } })
  await must('PUT', `${web}/notes/common/item_one`, { note: 'A form names its key.' })
  t.equal((await must('GET', `${web}/notes/common/item_other`)).json.key, 'item')
  t.equal((await call('DELETE', `${web}/notes/common/item?dryRun=true`)).status, 204)
  t.equal((await call('DELETE', `${web}/notes/common/item`)).status, 204)
  t.equal((await call('DELETE', `${web}/notes/common/item`)).status, 404)
  await must('PUT', `${web}/notes/common/__proto__`, { note: 'A name like others.' })
  t.match((await must('GET', `${web}/notes/common`)).text, /"__proto__"/)
  t.equal((await call('DELETE', `${web}/notes/common/__proto__`)).status, 204)
  const dry = await call('PUT', `${web}/notes/common/home?dryRun=true`, { note: 'x' })
  t.match(dry, { status: 200, json: { note: 'x', from: 'person' }, headers: { etag: EMPTY } })
  t.strictSame(await notesOf(web), {})
})

t.test('refuses bad notes, other roles and stale writes', async t => {
  const { acme, reader, member, other } = scene
  const at = `${await project('bad')}/notes`
  await must('PUT', `${at}/other/home`, { note: 'x' })
  const put = (name: string, body: object, status: number, more: Partial<Row> = {}): Row => ({
    ...{ name, method: 'PUT', path: `${at}/common/home`, key: acme.key, body, status },
    ...more,
  })
  const rows: Row[] = [
    { ...put('nobody', { note: 'x' }, 401), key: undefined } as Row,
    put('another organization', { note: 'x' }, 404, { key: other.key }),
    put('a token that reads', { note: 'x' }, 403, { key: reader }),
    { name: 'a member', method: 'PUT', path: `${at}/common/home`, as: member, body: { note: 'm' }, status: 200 },
    put('a note of 4096 bytes', { note: 'é'.repeat(2048) }, 200),
    put('a note of more', { note: `${'é'.repeat(2048)}x` }, 422),
    put('a maximum of 0', { max: 0 }, 422),
    put('a maximum of 100001', { max: 100_001 }, 422),
    ...[1.5, 1e99, '7', null].map(max =>
      put(`a maximum of ${JSON.stringify(max)}`, { max }, 400, {
        check: ({ json }, t) => t.match(json.error, /"max" must be a whole number from 1 to 100,000/),
      }),
    ),
    put('21 tags', { tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, 422),
    put('a tag of 51 characters', { tags: ['x'.repeat(51)] }, 422),
    put('51 references', { refs: Array.from({ length: 51 }, (_, at) => `a.ts:${at + 1}`) }, 422),
    put('a reference without a line', { refs: ['src/a.ts'] }, 422),
    put('an unknown field', { from: 'code' }, 400),
    put('a namespace that differs in case from a bundle', { note: 'x' }, 409, { path: `${at}/Common/home` }),
    put('a namespace that differs in case from notes', { note: 'x' }, 409, { path: `${at}/Other/home` }),
    put('a bad namespace', { note: 'x' }, 400, { path: `${at}/a%20b/home` }),
    put('a project that is missing', { note: 'x' }, 404, { path: '/api/projects/none/notes/common/home' }),
    put('another tag', { note: 'y' }, 412, { headers: { 'if-match': EMPTY } }),
    put('any notes', { note: 'y' }, 412, { headers: { 'if-none-match': '*' } }),
    { name: 'no note', method: 'GET', path: `${at}/common/none`, key: acme.key, status: 404 },
  ]
  await runRows(t, scene.server, rows)
})

t.test('follows a key through rename, deletion, restore, undo, format and project deletion', async t => {
  const slug = 'follow'
  const path = await project(slug)
  for (const key of ['home', 'nav.back', 'item', 'later'])
    await must('PUT', `${path}/notes/common/${key}`, { note: key })
  const keys = async () => Object.keys(await notesOf(path))
  const first = await newest()
  const tree = await treeAt(first, slug)
  t.strictSame(await keys(), ['home', 'item', 'later', 'nav.back'])

  await must('POST', `${path}/rename-key`, { namespace: 'common', from: 'home', to: 'start' })
  t.strictSame(await notesOf(path).then(({ start, home }) => [start.note, home]), ['home', undefined])
  await must('POST', `${path}/revert`, { revision: await newest() })
  t.equal(await treeAt(await newest(), slug), tree, 'an undo of the rename')

  await must('DELETE', `${path}/bundles/de/common/home`)
  t.ok((await keys()).includes('home'), 'a deletion in a translation leaves it')
  await must('DELETE', `${path}/bundles/en/common/home`)
  t.notOk((await keys()).includes('home'), 'a deletion in the source removes it')
  await must('POST', `${path}/restore`, { at: first, language: 'en', namespace: 'common', key: 'home' })
  t.ok((await keys()).includes('home'), 'a restore of the key in the source')
  await must('POST', `${path}/restore`, { at: first })
  t.equal(await treeAt(await newest(), slug), tree, 'a restore of the project')

  await must('POST', `${path}/delete-key`, { namespace: 'common', key: 'nav.back' })
  t.strictSame(await keys(), ['home', 'item', 'later'])
  await must('PUT', `${path}/bundles/en/common?prune=true`, { home: 'Home' })
  t.strictSame(await keys(), ['home', 'later'], 'a note that waits for its key stays')
  await must('PATCH', path, { defaultFormat: 'i18next-json-flat' })
  t.strictSame(await keys(), ['home', 'later'])
  await must('DELETE', `${path}/bundles/en/common`)
  t.strictSame(await keys(), ['later'])
  await must('DELETE', path)
  t.equal(scene.server.git(scene.acme.id, 'ls-tree', (await newestOf()) ?? 'HEAD', slug), '', 'nothing is left')
  await must('POST', `${path}/restore`, { at: first })
  t.equal(await treeAt(await newest(), slug), tree, 'a restore of the deleted project')
})

const newestOf = async () => {
  await scene.server.newest(scene.acme.id)
  return scene.server.git(scene.acme.id, 'rev-parse', 'HEAD').trim()
}

t.test('a note that changed after the undone commit stays', async t => {
  const path = await project('since')
  await must('PUT', `${path}/notes/common/home`, { note: 'one' })
  await must('PUT', `${path}/notes/common/item`, { note: 'i' })
  const first = await newest()
  await must('PUT', `${path}/notes/common/home`, { note: 'two' })
  const second = await newest()
  await must('PUT', `${path}/notes/common/home`, { note: 'three' })
  await must('POST', `${path}/revert`, { revision: second })
  t.equal((await notesOf(path)).home.note, 'three')
  await must('POST', `${path}/revert`, { revisions: [await newest(), second] })
  t.equal((await notesOf(path)).home.note, 'one', 'two undos in one')
  t.equal(await treeAt(await newest(), 'since'), await treeAt(first, 'since'))
  await must('POST', `${path}/restore`, { at: second, namespace: 'common', key: 'home' })
  t.match(await notesOf(path), { home: { note: 'two' }, item: { note: 'i' } }, 'a restore of one key')
})

t.test('an undo that moves a key leaves a later note where it is', async t => {
  const path = await project('moved')
  await must('PUT', `${path}/notes/common/home`, { note: 'one' })
  await must('POST', `${path}/rename-key`, { namespace: 'common', from: 'home', to: 'start' })
  const renamed = await newest()
  await must('PUT', `${path}/notes/common/start`, { note: 'two' })
  await must('POST', `${path}/revert`, { revision: renamed })
  t.match(await notesOf(path), { home: { note: 'one' }, start: { note: 'two' } })
})

t.test('the deletion of a form that the source lacks leaves the note of its key', async t => {
  const path = await project('form')
  await must('PUT', `${path}/bundles/en/common`, { sum_other: 'Sum' })
  await must('PUT', `${path}/bundles/de/common`, { sum_one: 'Summe' })
  await must('PUT', `${path}/notes/common/sum`, { note: 'Of all.' })
  await must('POST', `${path}/delete-key`, { namespace: 'common', key: 'sum_one' })
  t.match(await notesOf(path), { sum: { note: 'Of all.' } })
})

t.test('accepts notes of a push', async t => {
  const { server, acme } = scene
  const path = await project('code')
  const push = (notes: object, bundles: object = {}, query = '') =>
    call('POST', `${path}/push${query}`, { bundles, notes })
  const notes = { common: { home: { note: 'From code.', refs: ['a.ts:1'] }, item_one: { refs: ['a.ts:2'] } } }
  const before = await server.commits(acme.id)
  t.match((await push(notes, {}, '?dryRun=true')).json, { notes: 2, dryRun: true })
  t.strictSame(await notesOf(path), {})
  t.match((await push(notes)).json, { notes: 2, added: 0, bundles: [] })
  t.equal(server.git(acme.id, 'log', '-1', '--format=%s', await newestOf()).trim(), 'code: 2 notes from the code')
  t.match((await push(notes)).json, { notes: 0 })
  t.equal(await server.commits(acme.id), before + 1, 'a second push is no commit')
  t.strictSame((await notesOf(path)).home, { note: 'From code.', refs: ['a.ts:1'], from: 'code' })
  await must('PUT', `${path}/notes/common/home`, { note: 'By a person.', max: 9 })
  await push({ common: { home: { note: 'Changed.', refs: ['b.ts:7'] }, item: {} } }, { en: { common: { fresh: 'x' } } })
  t.strictSame(await notesOf(path), { home: { note: 'By a person.', max: 9, refs: ['b.ts:7'], from: 'person' } })
  t.equal((await push({ common: { home: { max: 4 } } })).status, 400)
  t.equal((await push({ common: { home: { note: 'x'.repeat(4097) } } })).status, 422)
  t.equal((await push({ Common: { home: { note: 'x' } } })).status, 409)
  t.equal((await push({ common: [] })).status, 400)
})

t.test('checks an external edit of notes', { skip: severalFolders }, async t => {
  const { server, acme } = scene
  const path = await project('edited')
  await must('PUT', `${path}/notes/common/home`, { note: 'one' })
  await must('PUT', `${path}/notes/common/item`, { note: 'i' })
  await server.newest(acme.id)
  const repository = server.repository(acme.id)
  const file = join(repository, 'edited/notes/common.json')
  const clean = () => server.git(acme.id, 'status', '--porcelain', 'edited') === ''
  await eventually(clean)
  writeFileSync(file, '{"home":{"from":"person","note":"two","tags":[]},"item":{}}')
  await eventually(async () => (await notesOf(path)).home.note === 'two')
  t.strictSame(await notesOf(path), { home: { note: 'two', from: 'person' } })
  await server.newest(acme.id)
  await eventually(clean)
  t.match(server.git(acme.id, 'show', 'HEAD:edited/notes/common.json'), /^\{\n {2}"home": \{\n {4}"note": "two",/)
  const head = await newest()
  writeFileSync(file, '{"home":{"note":"three","max":"wide"}}')
  const health = async () => (await server.get('/api/health', acme.key)).json
  await eventually(async () => (await health()).problems === 1)
  t.match(await health(), { files: [{ path: 'edited/notes/common.json', error: /"max" must be a whole number/ }] })
  t.equal(await newest(), head, 'it changes nothing')
  writeFileSync(file, '{}')
  await eventually(async () => Object.keys(await notesOf(path)).length === 0)
  await eventually(async () => (await health()).problems === 0)
  const fresh = join(repository, 'edited/notes/fresh.json')
  mkdirSync(dirname(fresh), { recursive: true })
  writeFileSync(fresh, '{"a":{"note":"new"}}')
  await eventually(async () => (await notesOf(path, 'fresh')).a?.note === 'new')
  await must('PUT', `${path}/notes/common/home`, { note: 'again' })
  await server.newest(acme.id)
  await eventually(clean)
  writeFileSync(join(repository, 'edited/locales/en/common.json'), '{"nav":{"back":"x"}}')
  await eventually(async () => Object.keys(await notesOf(path)).length === 0)
  t.pass('a key that goes by an external edit loses its note')
})
