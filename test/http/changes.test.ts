/** Changes of keys by a plan: bodies, results by key, the gate, marks, and commits. */
import t from 'tap'
import { openScene, type Row, runRows, type Scene } from './server.ts'

let scene: Scene
const url = '/api/projects/web/changes'

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  const web = await server.project(acme.key, 'web')
  const body = {
    a: 'One',
    b: 'Hi {{name}}',
    list: ['x', 'y'],
    item_one: '{{count}} item',
    item_other: '{{count}} items',
  }
  await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body })
  await server.must('PUT', `${web}/bundles/de/common`, {
    key: acme.key,
    body: { a: 'Eins', item_one: '{{count}} Ding' },
  })
  await server.must('PUT', `${web}/notes/common/a`, { key: acme.key, body: { max: 8 } })
})

const moved = (from: string, to: string) => ({ namespace: 'common', from, to })
const text = (language: string, key: string, value: unknown) => ({ language, namespace: 'common', key, value })
const row = (name: string, status: number, body: unknown, error?: RegExp, path = url): Row => ({
  ...{ name, method: 'POST', path, status, body, key: scene.acme.key },
  check: ({ json }, t) => error && t.match(json.error, error, name),
})

t.test('refuses what is no change, and names the culprit', async t => {
  const { server } = scene
  await runRows(t, server, [
    row('nothing', 400, {}, /names no change/),
    row('an unknown member', 400, { sets: [] }, /unknown field "sets"/),
    row(
      'a rename beside',
      400,
      { set: [text('de', 'a', 'x')], rename: { namespace: 'common', from: 'a', to: 'z' } },
      /alone/,
    ),
    row('a chain of renames', 400, { rename: [moved('a', 'z'), moved('z', 'y')] }, /"z" is renamed/),
    row('a swap', 400, { rename: [moved('a', 'b'), moved('b', 'a')] }, /"b" is renamed/),
    row('two renames to one name', 400, { rename: [moved('a', 'z'), moved('b', 'z')] }, /"z" is renamed/),
    row('a deleted key renamed', 400, { rename: moved('a', 'z'), delete: [{ namespace: 'common', key: 'a' }] }, /"a"/),
    row('a new name with a text', 400, { rename: moved('a', 'z'), set: [text('de', 'z', 'x')] }, /"z"/),
    row('a rename of two with a missing one', 404, { rename: [moved('a', 'z'), moved('none', 'y')] }, /"none"/),
    row(
      'a rename of two to a name in use',
      409,
      { rename: [moved('a', 'z'), moved('item', 'b')] },
      /"b" already, in "en"/,
    ),
    row('a rename without a name', 400, { rename: [{ namespace: 'common', from: 'a' }] }, /"rename.0.to" is missing/),
    row('no rename', 400, { rename: [] }, /names no change/),
    row('a text twice', 400, { set: [text('de', 'a', 'x'), text('de', 'a', 'y')] }, /"a" of de\/common twice/),
    row('set and deleted', 400, { set: [text('de', 'a', 'x')], delete: [{ namespace: 'common', key: 'a' }] }, /"a"/),
    row('no form', 400, { set: [text('de', 'item', {})] }, /no form/),
    row('an unknown form', 400, { set: [text('de', 'item', { no: 'x' })] }, /not "no"/),
    row('a form of a form', 400, { set: [text('de', 'item_one', { one: 'x' })] }, /is a form/),
    row('a deleted form', 400, { delete: [{ namespace: 'common', key: 'item_one' }] }, /is a form/),
    row('a bad language', 400, { set: [text('d_e', 'a', 'x')] }, /language/),
    row('a missing key', 404, { delete: [{ namespace: 'common', key: 'none' }] }, /"none"/),
    row('a missing key to rename', 404, { rename: { namespace: 'common', from: 'none', to: 'z' } }, /"none"/),
    row('a taken name', 409, { rename: { namespace: 'common', from: 'a', to: 'b' } }, /"b"/),
    row('a middle of an array', 422, { delete: [{ namespace: 'common', key: 'list.0' }] }, /list/),
    row('a long subject', 400, { set: [text('de', 'a', 'x')], message: 'x'.repeat(201) }, /message/),
    row('an unknown parameter', 400, { set: [text('de', 'a', 'x')] }, /dryrun/, `${url}?dryrun=true`),
    row('no project', 404, { set: [text('de', 'a', 'x')] }, /none/, '/api/projects/none/changes'),
  ])
})

t.test('says what happens to each key, and does exactly that', async t => {
  const { server, acme } = scene
  const body = {
    set: [text('de', 'item', { other: '{{count}} Dinge' }), text('de', 'a', 'Eins'), text('pl', 'a', 'Jeden')],
    delete: [{ namespace: 'common', key: 'b' }],
  }
  const { json } = await server.must('POST', `${url}?dryRun=true`, { key: acme.key, body })
  t.match(json, {
    revision: null,
    dryRun: true,
    repeated: false,
    counts: { added: 1, updated: 1, unchanged: 1, removed: 1 },
  })
  const results = (changes: { language: string; key: string; result: string }[]) =>
    changes.map(({ language, key, result }) => `${language} ${key} ${result}`).sort()
  t.strictSame(results(json.changes), ['de a unchanged', 'de item updated', 'en b removed', 'pl a added'])
  const item = json.changes.find(({ key }: { key: string }) => key === 'item')
  t.strictSame(item.before, { cardinal: { one: '{{count}} Ding' } })
  t.strictSame(item.after, { cardinal: { one: '{{count}} Ding', other: '{{count}} Dinge' } })
  const done = (await server.must('POST', url, { key: acme.key, body: { ...body, plan: json.plan } })).json
  t.strictSame(results(done.changes), results(json.changes))
  const [commit] = (await server.get('/api/projects/web/history?limit=1', acme.key)).json.revisions
  t.match(commit, { revision: done.revision, subject: 'web: add 1, update 1, remove 1 key in 3 bundles' })
  t.match((await server.must('POST', url, { key: acme.key, body: { set: body.set } })).json, { revision: null })
  await server.must('POST', '/api/projects/web/revert', { key: acme.key, body: { revision: done.revision } })
})

t.test('renames several keys beside other changes, with what belongs to them, in one commit', async t => {
  const { server, acme } = scene
  const key = acme.key
  const project = await server.project(key, 'moving')
  const at = `${project}/changes`
  await server.must('PUT', `${project}/bundles/en/common`, {
    ...{ key, body: { a: 'One', b: 'Two', c: 'Three', item_one: '{{count}} item', item_other: '{{count}} items' } },
  })
  await server.must('PUT', `${project}/bundles/de/common`, {
    key,
    body: { a: 'Eins', b: 'Zwei', c: 'Drei', only: 'x' },
  })
  await server.must('PUT', `${project}/bundles/en/home`, { key, body: { a: 'Home' } })
  for (const [name, note] of [
    ['common/a', 'of a'],
    ['common/item', 'of item'],
    ['common/only', 'of only'],
    ['home/a', 'of another'],
  ])
    await server.must('PUT', `${project}/notes/${name}`, { key, body: { note } })
  await server.must('PUT', `${project}/bundles/en/common/b`, { key, body: { value: 'Two!' } })
  await server.sealed(acme.id)
  const treeOf = () => server.git(acme.id, 'rev-parse', 'HEAD:moving').trim()
  const before = treeOf()

  const body = {
    rename: [moved('b', 'list.b'), moved('a', 'list.a'), moved('item', 'cart.item')],
    delete: [
      { namespace: 'common', key: 'c' },
      { namespace: 'common', key: 'only' },
    ],
    set: [text('de', 'new', 'Neu'), { ...text('en', 'a', 'At home'), namespace: 'home' }],
  }
  const { json } = await server.must('POST', `${at}?dryRun=true`, { key, body })
  t.match(json.counts, { renamed: 5, removed: 3, added: 1, updated: 1 })
  const done = (await server.must('POST', at, { key, body: { ...body, plan: json.plan } })).json
  t.strictSame(done.changes, json.changes)
  const read = async (path: string) => (await server.get(`${project}/${path}`, key)).json
  t.strictSame(await read('bundles/en/common'), {
    ...{ cart: { item_one: '{{count}} item', item_other: '{{count}} items' }, list: { a: 'One', b: 'Two!' } },
  })
  t.strictSame(await read('bundles/de/common'), { list: { a: 'Eins', b: 'Zwei' }, new: 'Neu' })
  const { notes } = await read('notes/common')
  t.match(notes, { 'cart.item': { note: 'of item' }, 'list.a': { note: 'of a' } })
  t.equal(Object.keys(notes).length, 2)
  t.match((await read('status/keys?language=de&is=stale')).keys, [{ key: 'list.b' }], 'it stays stale')
  const [commit] = (await read('history?limit=1')).revisions
  t.match(commit, { revision: done.revision, subject: /^moving: add 6, update 1, remove 8 keys/ })
  const undone = await server.must('POST', `${project}/revert`, { key, body: { revision: done.revision } })
  t.strictSame(undone.json.skipped, [])
  await server.sealed(acme.id)
  t.equal(treeOf(), before)
})

t.test('refuses a stale plan of several renames, and names the key', async t => {
  const { server, acme } = scene
  const ask = (query: string, body: object) => server.call('POST', `${url}${query}`, { key: acme.key, body })
  const body = { rename: [moved('a', 'z.a'), moved('item', 'z.item')] }
  const { plan } = (await ask('?dryRun=true', body)).json
  await server.must('PUT', '/api/projects/web/bundles/de/common/z.item', { key: acme.key, body: { value: 'Neu' } })
  const stale = await ask('', { ...body, plan })
  t.equal(stale.status, 409)
  t.match(stale.json.error, /"z\.item" in de\/common/)
  t.notMatch(stale.json.error, /"a"/)
  await server.must('DELETE', '/api/projects/web/bundles/de/common/z.item', { key: acme.key })
})

t.test('returns 413 when deletions and renames concern more than 20,000 texts', async t => {
  const { server, acme } = scene
  const crowd = await server.project(acme.key, 'crowd')
  const bundles = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`de-x-${at}`, { common: { a: 'A' } }]))
  await server.must('POST', `${crowd}/push`, { key: acme.key, body: { bundles } })
  const named = (count: number) => Array.from({ length: count }, (_, at) => ({ namespace: 'common', key: `k${at}` }))
  const renames = (count: number) => named(count).map(({ key: from }) => moved(from, `new.${from}`))
  for (const body of [
    { delete: named(199) },
    { rename: renames(199) },
    { delete: named(198), rename: [moved('other', 'new')] },
  ]) {
    const { status, json } = await server.call('POST', `${crowd}/changes`, { key: acme.key, body })
    t.equal(status, 413)
    t.match(json.error, /more than 20,000 texts, .*: name fewer keys at once\.$/)
  }
  const { status } = await server.call('POST', `${crowd}/changes`, { key: acme.key, body: { delete: named(198) } })
  t.equal(status, 404, 'no language has the keys')
})

t.test('holds the texts of a machine to the gate, and marks them', async t => {
  const { server, acme } = scene
  const texts = {
    set: [text('de', 'a', 'viel zu lang'), text('de', 'b', 'Hallo {{name}}'), text('de', 'item_other', 'x')],
  }
  const ask = (query: string, body: object) => server.call('POST', `${url}${query}`, { key: acme.key, body })
  t.match((await ask('?dryRun=true', texts)).json, { counts: { updated: 2, added: 1, refused: 0 } }, 'people may')
  const { json } = await ask('?dryRun=true&machine=true', texts)
  t.equal(json.plan, null)
  t.match(
    json.changes.filter(({ result }: { result: string }) => result === 'refused'),
    [
      { key: 'a', reason: /has 12 characters, and at most 8 fit/ },
      { key: 'item', reason: /the form other lacks {{count}}/ },
    ],
  )
  const refused = await ask('?machine=true', texts)
  t.equal(refused.status, 422)
  t.match(refused.json.error, /de\/common "a": .* de\/common "item": /)
  const source = await ask('?machine=true', { set: [text('en', 'new', 'New'), text('de', 'new', 'Neu')] })
  t.match(source.json, { counts: { added: 2 } }, 'a new source counts')
  const { keys } = (await server.get('/api/projects/web/status/keys?language=de&is=machine', acme.key)).json
  t.match(keys, [{ key: 'new', machine: { by: { name: 'ci' } } }])
})

t.test('lists the earlier items of an array, which a later one brings along', async t => {
  const { server, acme } = scene
  const ask = (query: string, body: object) => server.call('POST', `${url}${query}`, { key: acme.key, body })
  const second = { set: [text('fr', 'list.1', 'deux')] }
  const { json } = await ask('?dryRun=true', second)
  t.match(json.counts, { added: 2 })
  t.match(json.changes, [
    { key: 'list.1', result: 'added', after: 'deux' },
    { key: 'list.0', result: 'added', before: null, after: '' },
  ])
  const refused = await ask('?dryRun=true&machine=true', second)
  t.match(refused.json, { plan: null, counts: { refused: 1 } })
  t.match(refused.json.changes[1], { key: 'list.0', result: 'refused', reason: 'the text is empty.' })
  const both = { set: [text('fr', 'list.0', 'un'), ...second.set] }
  t.match((await ask('?machine=true', both)).json.counts, { added: 2, refused: 0 })
  t.match((await ask('?machine=true', second)).json.counts, { unchanged: 1, added: 0 })
})
