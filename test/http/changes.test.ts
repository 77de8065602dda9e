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
