/** Renames of namespaces and languages: one commit, every byte and every stale note, and an undo. */
import t, { type Test } from 'tap'
import { renameStaleLanguage } from '../../src/project/rename-place.ts'
import { openScene, type Row, runRows, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

/** A project with the namespaces common and home in en, de and pl; de and pl are stale in both. */
async function staleProject(slug: string) {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  const put = (at: string, body: object) => server.must('PUT', `${path}/bundles/${at}`, { key: acme.key, body })
  for (const namespace of ['common', 'home']) {
    await put(`en/${namespace}`, { a: 'A', b: 'B', c: 'C' })
    await put(`de/${namespace}`, { a: 'ä', b: 'bé' })
    await put(`pl/${namespace}`, { a: 'ą', c: 'ć' })
    await put(`en/${namespace}`, { a: 'A2', b: 'B', c: 'C2' })
  }
  return path
}

const post = (path: string, body: object, more: object = {}) =>
  scene.server.call('POST', path, { key: scene.acme.key, body, ...more })

/** Blob ids by path. */
function files(slug: string): Record<string, string> {
  const listed = scene.server.git(scene.acme.id, 'ls-tree', '-r', 'HEAD', slug).trim().split('\n')
  return Object.fromEntries(
    listed.map(line =>
      line
        .match(/ ([0-9a-f]{40})\t(.+)$/)!
        .slice(1)
        .reverse(),
    ),
  )
}
const tree = () => scene.server.git(scene.acme.id, 'rev-parse', 'HEAD^{tree}').trim()
const commits = () => scene.server.commits(scene.acme.id)

/** The stale keys of a language with the source that each was written for, by namespace. */
async function marks(path: string, language: string): Promise<string[]> {
  const { json } = await scene.server.get(`${path}/status/keys?language=${language}&is=stale`, scene.acme.key)
  return json.keys.map((row: Record<string, string>) => `${row.namespace} ${row.key} ${JSON.stringify(row.sourceThen)}`)
}

/** Undoes the newest commit. */
async function undo(t: Test, path: string, revision: string) {
  const undone = await post(`${path}/revert`, { revision })
  t.match(undone, { status: 200, json: { skipped: [] } })
}

t.test('moves a namespace in all languages with its marks, and an undo restores the tree', async t => {
  const path = await staleProject('spaces')
  t.same(await marks(path, 'de'), ['common a "A"', 'home a "A"'])
  const { server, acme } = scene
  const notesOf = async (namespace: string) => (await server.get(`${path}/notes/${namespace}`, acme.key)).json.notes
  const note = (place: string, text: string) =>
    server.must('PUT', `${path}/notes/${place}`, { key: acme.key, body: { note: text } })
  await note('common/a', 'Of the first letter')
  const count = await commits()
  const [before, was] = [tree(), files('spaces')]
  const { status, json } = await post(`${path}/rename-namespace`, { from: 'common', to: 'shared' })
  t.match({ status, json }, { status: 200, json: { from: 'common', to: 'shared', dryRun: false } })
  t.same(json.languages, ['de', 'en', 'pl'])
  t.equal(await commits(), count + 1)
  t.equal(json.revision, scene.server.git(scene.acme.id, 'rev-parse', 'HEAD').trim())
  const moved = Object.entries(was).map(([file, id]) => [file.replace(/common\.json$/, 'shared.json'), id])
  t.same(files('spaces'), Object.fromEntries(moved), 'every file has its bytes')
  t.ok(Object.hasOwn(was, 'spaces/stale/common.json'))
  t.same(await marks(path, 'de'), ['home a "A"', 'shared a "A"'])
  t.same(await marks(path, 'pl'), ['home a "A"', 'home c "C"', 'shared a "A"', 'shared c "C"'])
  t.match(await notesOf('shared'), { a: { note: 'Of the first letter' } })
  t.same(await notesOf('common'), {})
  await undo(t, path, json.revision)
  await commits()
  t.equal(tree(), before)
})

t.test('merges the notes that wait for the new name of a namespace', async t => {
  const path = await staleProject('waiting')
  const { server, acme } = scene
  const note = (place: string, text: string) =>
    server.must('PUT', `${path}/notes/${place}`, { key: acme.key, body: { note: text } })
  await note('common/a', 'Moves')
  await note('shared/a', 'Gives way')
  await note('shared/later', 'Waits')
  await commits()
  const before = tree()
  const { json } = await post(`${path}/rename-namespace`, { from: 'common', to: 'shared' })
  const { notes } = (await server.get(`${path}/notes/shared`, acme.key)).json
  t.match(notes, { a: { note: 'Moves' }, later: { note: 'Waits' } })
  await undo(t, path, json.revision)
  await commits()
  t.equal(tree(), before)
})

t.test('refuses a new name that notes wait for in another case', async t => {
  const path = await staleProject('twins')
  const { server, acme } = scene
  for (const place of ['common/a', 'Later/b'])
    await server.must('PUT', `${path}/notes/${place}`, { key: acme.key, body: { note: 'A' } })
  t.match(await post(`${path}/rename-namespace`, { from: 'common', to: 'later' }), {
    status: 409,
    json: { error: /"later" differs only in case from "Later"/ },
  })
})

t.test('renames texts that a check would refuse', async t => {
  const path = await staleProject('checked')
  const { server, acme } = scene
  await server.must('PUT', `${path}/bundles/de/common/a`, { key: acme.key, body: { value: 'A ' } })
  await server.must('PATCH', path, { key: acme.key, body: { checks: { space: 'refuse' } } })
  const renamed = await post(`${path}/rename-namespace`, { from: 'common', to: 'shared' })
  t.equal(renamed.status, 200)
  await undo(t, path, renamed.json.revision)
  t.equal((await post(`${path}/rename-language`, { from: 'de', to: 'sv' })).status, 200)
})

t.test('moves a language with its marks, and an undo restores the tree', async t => {
  const path = await staleProject('tongues')
  await commits()
  const [before, was] = [tree(), files('tongues')]
  const { status, json } = await post(`${path}/rename-language`, { from: 'de', to: 'sv' })
  t.match({ status, json }, { status: 200, json: { from: 'de', to: 'sv', namespaces: ['common', 'home'] } })
  await commits()
  const now = files('tongues')
  for (const namespace of ['common', 'home']) {
    t.equal(now[`tongues/locales/sv/${namespace}.json`], was[`tongues/locales/de/${namespace}.json`])
    t.notOk(Object.hasOwn(now, `tongues/locales/de/${namespace}.json`))
  }
  t.same(await marks(path, 'sv'), ['common a "A"', 'home a "A"'])
  t.same(await marks(path, 'pl'), ['common a "A"', 'common c "C"', 'home a "A"', 'home c "C"'])
  t.equal((await scene.server.get(`${path}/bundles/de/common`, scene.acme.key)).status, 404)
  await undo(t, path, json.revision)
  await commits()
  t.equal(tree(), before)
  t.same(await marks(path, 'de'), ['common a "A"', 'home a "A"'])
})

t.test('writes nothing in a dry run and answers as the rename would', async t => {
  const path = await staleProject('dry')
  const count = await commits()
  const before = tree()
  for (const [route, body, more] of [
    ['rename-namespace', { from: 'home', to: 'start' }, { languages: ['de', 'en', 'pl'] }],
    ['rename-language', { from: 'de', to: 'sv' }, { namespaces: ['common', 'home'] }],
  ] as const) {
    const { status, json } = await post(`${path}/${route}?dryRun=true`, body)
    t.same({ status, json }, { status: 200, json: { ...body, ...more, revision: null, dryRun: true } })
  }
  const refused = await post(`${path}/rename-namespace?dryRun=true`, { from: 'home', to: 'common' })
  t.equal(refused.status, 409)
  t.equal(await commits(), count)
  t.equal(tree(), before)
})

t.test('renames what differs only in case from itself, and refuses what differs so from another', async t => {
  const path = await staleProject('cases')
  await scene.server.must('PUT', `${path}/notes/home/a`, { key: scene.acme.key, body: { note: 'A' } })
  t.equal((await post(`${path}/rename-namespace`, { from: 'home', to: 'Home' })).status, 200)
  t.equal((await post(`${path}/rename-language`, { from: 'de', to: 'DE' })).status, 200)
  t.same(await marks(path, 'DE'), ['Home a "A"', 'common a "A"'].sort())
  t.match(await post(`${path}/rename-namespace`, { from: 'Home', to: 'Common' }), {
    status: 409,
    json: { error: /"Common" differs only in case from "common"/ },
  })
  t.match(await post(`${path}/rename-language`, { from: 'DE', to: 'PL' }), { status: 409, json: { error: /"PL"/ } })
  t.match(await post(`${path}/rename-language`, { from: 'DE', to: 'EN' }), { status: 409, json: { error: /"EN"/ } })
})

t.test('refuses a wrong rename and says what is wrong', async t => {
  const path = await staleProject('wrong')
  await commits()
  const before = tree()
  const { acme, reader, other } = scene
  const rename = { method: 'POST', path: `${path}/rename-namespace`, body: { from: 'home', to: 'start' } }
  const language = { method: 'POST', path: `${path}/rename-language`, body: { from: 'de', to: 'sv' } }
  const { key } = acme
  const row = (name: string, of: typeof rename, body: object, status: number, error: RegExp): Row => ({
    ...of,
    ...{ name, key, body, status },
    check: ({ json }, t) => t.match(json.error, error),
  })
  const body = (from: string, to: string) => ({ from, to })
  await runRows(t, scene.server, [
    ...[rename, language].flatMap(of => [
      { ...of, name: 'no credential', status: 401 },
      { ...of, name: 'a token that reads', key: reader, status: 403 },
      { ...of, name: 'another organization', key: other.key, status: 404 },
      { ...of, name: 'a stale tag', key, headers: { 'if-match': `W/"${'0'.repeat(40)}"` }, status: 412 },
    ]),
    row('an unknown namespace', rename, body('none', 'start'), 404, /no namespace "none"/),
    row('an unknown language', language, body('fr', 'sv'), 404, /no language "fr"/),
    row('an existing namespace', rename, body('home', 'common'), 409, /has the namespace "common" already/),
    row('the same namespace', rename, body('home', 'home'), 409, /has the namespace "home" already/),
    row('an existing language', language, body('de', 'pl'), 409, /has the language "pl" already/),
    row('the source language as the new one', language, body('de', 'en'), 409, /has the language "en" already/),
    row('the source language', language, body('en', 'sv'), 400, /"en" is the source language/),
    row('a bad namespace', rename, body('home', 'a/b'), 400, /a\/b/),
    row('a bad language', language, body('de', 'x y'), 400, /x y/),
    row('a missing member', rename, { from: 'home' }, 400, /to/),
  ])
  t.equal(tree(), before)
})

t.test('gives no mark to a renamed place that a leftover file of stale entries names', async t => {
  const entries = (file: object) => Buffer.from(JSON.stringify(file))
  const renamed = (file: object) => {
    const { file: after } = renameStaleLanguage({ entries: entries(file), from: 'de', to: 'sv' })
    return after && JSON.parse(Buffer.from(after).toString())
  }
  const of = (...languages: string[]) => ({ source: 'A', languages })
  t.same(renamed({ a: [of('de', 'pl')], b: [of('pl')] }), { a: [of('pl', 'sv')], b: [of('pl')] })
  t.same(renamed({ a: [of('sv')], b: [of('de')] }), { b: [of('sv')] }, 'an entry of the new name ends')
  t.equal(renamed({ a: [of('sv')] }), null)
  t.equal(renamed({ a: [of('pl')] }), undefined, 'an unconcerned file stays as it is')
})

t.test('carries the marks of a write that wins the race, and loses no text', async t => {
  const path = await staleProject('race')
  const { server, acme } = scene
  const names = ['common', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8']
  let turn = 0
  const writer = (async () => {
    let written = 0
    for (let at = 0; turn < names.length - 1; at++) {
      const body = { value: `A ${at}` }
      const reply = await server.call('PUT', `${path}/bundles/en/home/a`, { key: acme.key, body })
      if (reply.status === 200) written++
    }
    return written
  })()
  for (; turn < names.length - 1; turn++) {
    const reply = await post(`${path}/rename-namespace`, { from: names[turn], to: names[turn + 1] })
    t.equal(reply.status, 200)
  }
  t.ok((await writer) > 0)
  t.same(await marks(path, 'de'), ['home a "A"', `${names.at(-1)} a "A"`].sort())
})
