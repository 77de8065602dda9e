import t from 'tap'
import { openScene, type Reply, type Row, runRows, type Scene, segment } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const EMPTY = 'W/"0967ef424bce6791893e9a57bb952f80fd536e93"'

/** A project of Acme with bundles, `{ 'de/common': { … } }`. */
async function project(slug: string, bundles: Record<string, object>, format = 'i18next-json'): Promise<string> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug, 'en', format)
  for (const [at, body] of Object.entries(bundles)) {
    await server.must('PUT', `${path}/bundles/${at}`, { key: acme.key, body })
  }
  return path
}

const read = async (path: string): Promise<Reply['json']> => (await scene.server.get(path, scene.acme.key)).json

/** Subject and trailers of the commits of Acme after the first `since` ones. */
async function told(since: number): Promise<string[]> {
  const count = await scene.server.commits(scene.acme.id)
  if (count === since) return []
  return scene.server
    .git(scene.acme.id, 'log', '--reverse', `-${count - since}`, '--format=%s|%(trailers:unfold,separator=%x7c)')
    .trim()
    .split('\n')
}

const tagOf = async (path: string) => String((await scene.server.get(path, scene.acme.key)).headers.etag)

/** A write with a stale If-Match. Its answer has the current tag. */
const stale = (request: { method: string; path: string; body?: unknown }, etag: string): Row => ({
  ...request,
  name: 'a stale entity tag',
  key: scene.acme.key,
  headers: { 'if-match': `W/"${'0'.repeat(40)}"` },
  status: 412,
  check: ({ json }, t) => t.equal(json.etag, etag),
})

/** Requests without the right, and their answers. */
const refusals = (request: { method: string; path: string; body?: unknown }, member: boolean): Row[] => [
  { ...request, name: 'nobody', status: 401 },
  { ...request, name: 'a token that reads', key: scene.reader, status: 403 },
  { ...request, name: 'another organization', key: scene.other.key, status: 404 },
  { ...request, name: 'a member of nothing', as: scene.stranger, status: 403 },
  {
    ...request,
    name: 'an unknown parameter',
    path: `${request.path}?dryrun=true`,
    key: scene.acme.key,
    status: 400,
  },
  ...(member ? [] : [{ ...request, name: 'a member', as: scene.member, status: 403 }]),
]

t.test('deletes a bundle', async t => {
  const { server, acme, admin, member } = scene
  const web = await project('bundles', {
    'en/common': { a: 'x' },
    'de/common': { a: 'y', b: { c: 'z' } },
    'de/home': { a: 'x' },
    'fr/common': { a: 'x' },
  })
  const before = await server.commits(acme.id)
  const DELETE = { method: 'DELETE', path: `${web}/bundles/de/common`, key: acme.key }
  const tag = (await server.get(DELETE.path, acme.key)).headers.etag!
  await runRows(t, server, [
    ...refusals({ method: 'DELETE', path: DELETE.path }, true),
    { ...DELETE, name: 'a namespace that is not there', path: `${web}/bundles/de/none`, status: 404 },
    { ...DELETE, name: 'in another case', path: `${web}/bundles/de/Common`, status: 404 },
    { ...DELETE, name: 'a language that is not there', path: `${web}/bundles/it/common`, status: 404 },
    { ...DELETE, name: 'a project that is not there', path: '/api/projects/none/bundles/de/common', status: 404 },
    { ...DELETE, name: 'a bad language', path: `${web}/bundles/d_e/common`, status: 400 },
    { ...DELETE, name: 'a bad namespace', path: `${web}/bundles/de/con`, status: 400 },
    {
      ...DELETE,
      name: 'stale',
      headers: { 'if-match': EMPTY },
      status: 412,
      check: reply => t.equal(reply.json.etag, tag),
    },
    {
      ...DELETE,
      name: 'right, by a member',
      key: undefined,
      as: member,
      headers: { 'if-match': tag },
      status: 204,
      check: reply => t.equal(reply.text, ''),
    },
    { ...DELETE, name: 'again', status: 404 },
    {
      ...DELETE,
      name: 'the last one of a language, by an admin',
      key: undefined,
      as: admin,
      path: `${web}/bundles/de/home`,
      status: 204,
    },
    { name: 'the language is gone', method: 'GET', path: `${web}/bundles/de/home`, key: acme.key, status: 404 },
    { ...DELETE, name: 'of the source language', path: `${web}/bundles/en/common`, status: 204 },
    {
      name: 'which stays',
      method: 'GET',
      path: `${web}/bundles/en/common`,
      key: acme.key,
      status: 200,
      check: reply => t.equal(reply.headers.etag, EMPTY),
    },
  ])
  t.match(await read(web), { languages: ['en', 'fr'], namespaces: ['common'] })
  t.strictSame(await told(before), [
    'bundles de/common: delete the bundle|Parlance-Project: bundles|Parlance-Language: de|Parlance-Namespace: common|Parlance-Added: 0|Parlance-Updated: 0|Parlance-Removed: 2',
    'bundles de/home: delete the bundle|Parlance-Project: bundles|Parlance-Language: de|Parlance-Namespace: home|Parlance-Added: 0|Parlance-Updated: 0|Parlance-Removed: 1',
    'bundles en/common: delete the bundle|Parlance-Project: bundles|Parlance-Language: en|Parlance-Namespace: common|Parlance-Added: 0|Parlance-Updated: 0|Parlance-Removed: 1',
  ])
  t.equal(server.git(acme.id, 'status', '--porcelain'), '')
  t.match(server.git(acme.id, 'show', 'HEAD~2~1:bundles/locales/de/common.json'), '"y"', 'the history has it')
})

t.test('deletes a language', async t => {
  const { server, acme, member } = scene
  const web = await project('languages', {
    'en/common': { a: 'x' },
    'pol/common': { a: 'y', b: { c: 'z' } },
    'pol/home': { a: 'x' },
    'pl/common': { a: 'x' },
  })
  const before = await server.commits(acme.id)
  const DELETE = { method: 'DELETE', path: `${web}/bundles/pol`, key: acme.key }
  const tag = await tagOf(DELETE.path)
  await runRows(t, server, [
    ...refusals({ method: 'DELETE', path: DELETE.path }, true),
    { ...DELETE, name: 'a language that is not there', path: `${web}/bundles/it`, status: 404 },
    { ...DELETE, name: 'a project that is not there', path: '/api/projects/none/bundles/de', status: 404 },
    { ...DELETE, name: 'a bad language', path: `${web}/bundles/d_e`, status: 400 },
    stale({ method: 'DELETE', path: DELETE.path }, tag),
    {
      ...DELETE,
      name: 'right, by a member',
      key: undefined,
      as: member,
      headers: { 'if-match': tag },
      status: 204,
      check: reply => t.equal(reply.text, ''),
    },
    { ...DELETE, name: 'again', status: 404 },
    { name: 'its bundles are gone', method: 'GET', path: `${web}/bundles/pol/home`, key: acme.key, status: 404 },
  ])
  t.match(await read(web), { languages: ['en', 'pl'], namespaces: ['common'] })
  const revision = (await read(`${web}/history?limit=2`)).revisions[1].revision
  const restore = { method: 'POST', path: `${web}/restore`, key: acme.key }
  await runRows(t, server, [
    { ...restore, name: 'it comes back', body: { at: revision, language: 'pol' }, status: 200 },
    { ...DELETE, name: 'the source language', path: `${web}/bundles/en`, status: 204 },
    { ...DELETE, name: 'which has no texts now', path: `${web}/bundles/en`, status: 204 },
  ])
  t.match(await read(web), { languages: ['en', 'pl', 'pol'], namespaces: ['common', 'home'] })
  const [deletion, , ofSource, ...more] = await told(before)
  t.equal(deletion, 'languages pol: delete the language|Parlance-Project: languages|Parlance-Language: pol')
  t.match(ofSource, /^languages en: delete the language/)
  t.strictSame(more, [], 'no change, no commit')
  t.equal(server.git(acme.id, 'status', '--porcelain'), '')
})

t.test('deletes a key or a form', async t => {
  const { server, acme, member } = scene
  const web = await project('keys', {
    'de/common': {
      a: 'x',
      nav: { home: 'h' },
      'x/y z': 'odd',
      item: 't',
      item_one: '1',
      item_other: 'n',
      list: ['p', 'q'],
    },
    'fr/common': { alone: 'x' },
  })
  const at = `${web}/bundles/de/common`
  const before = await server.commits(acme.id)
  const DELETE = (name: string, key: string, status: number, message?: unknown): Row => ({
    name,
    method: 'DELETE',
    path: `${at}/${segment(key)}`,
    key: acme.key,
    status,
    check: ({ json }) => {
      if (message !== undefined)
        t.strictSame(json, { key: key.replace(/_(one|other)$/, ''), namespace: 'common', message })
    },
  })
  const tag = (await server.get(at, acme.key)).headers.etag!
  await runRows(t, server, [
    ...refusals({ method: 'DELETE', path: `${at}/a` }, true),
    DELETE('no such key', 'none', 404),
    DELETE('an object is no key', 'nav', 404),
    DELETE('no such form', 'a_one', 404),
    DELETE('no such kind', 'item_ordinal_one', 404),
    DELETE('a key that cannot be', 'a\0', 400),
    { ...DELETE('no such bundle', 'a', 404), path: `${web}/bundles/de/none/a` },
    { ...DELETE('in another case', 'a', 404), path: `${web}/bundles/de/Common/a` },
    { ...DELETE('stale', 'a', 412), headers: { 'if-match': EMPTY } },
    { ...DELETE('in time, by a member', 'a', 200, null), key: undefined, as: member, headers: { 'if-match': tag } },
    DELETE('again', 'a', 404),
    DELETE('nested', 'nav.home', 200, null),
    DELETE('an odd name', 'x/y z', 200, null),
    DELETE('a form', 'item_one', 200, { text: 't', cardinal: { other: 'n' } }),
    DELETE('the last form', 'item_other', 200, 't'),
    { ...DELETE('an item with one behind it', 'list.0', 422), check: ({ json }) => t.match(json.error, /"list\.0"/) },
    DELETE('the last item', 'list.1', 200, null),
  ])
  const reply = await server.call('DELETE', `${at}/item`, { key: acme.key })
  t.equal(reply.headers.etag, (await server.get(at, acme.key)).headers.etag, 'the ETag is that of the bundle')
  t.strictSame(await read(at), { list: ['p'] })
  const last = await server.call('DELETE', `${web}/bundles/fr/common/alone`, { key: acme.key })
  t.equal(last.status, 200)
  t.equal(last.headers.etag, EMPTY)
  t.equal(
    (await server.get(`${web}/bundles/fr/common`, acme.key)).status,
    404,
    'the language is gone with its last key',
  )
  const commits = await told(before)
  t.strictSame(
    commits.map(line => line.replace(/Parlance-(Project|Language|Namespace|Added): [^|]*\|/g, '')),
    [
      'keys de/common: delete a|Parlance-Updated: 0|Parlance-Removed: 1',
      'keys de/common: delete nav.home|Parlance-Updated: 0|Parlance-Removed: 1',
      'keys de/common: delete x/y z|Parlance-Updated: 0|Parlance-Removed: 1',
      'keys de/common: delete item_one|Parlance-Updated: 1',
      'keys de/common: delete item_other|Parlance-Updated: 1',
      'keys de/common: delete list.1|Parlance-Updated: 0|Parlance-Removed: 1',
      'keys de/common: delete item|Parlance-Updated: 0|Parlance-Removed: 1',
      'keys fr/common: delete alone|Parlance-Updated: 0|Parlance-Removed: 1',
    ],
  )
})

t.test('deletes a key once when many requests delete it', async t => {
  const { server, acme } = scene
  const web = await project('race', { 'de/common': { a: 'x', b: 'y' } })
  const path = `${web}/bundles/de/common/a`
  const replies = await Promise.all(Array.from({ length: 8 }, () => server.call('DELETE', path, { key: acme.key })))
  t.strictSame(replies.map(({ status }) => status).sort(), [200, 404, 404, 404, 404, 404, 404, 404])
})

t.test('removes the keys that a push with prune lacks', async t => {
  const { server, acme } = scene
  const web = await project('prune', {
    'en/common': { a: 'x', b: 'y', item_one: '1', item_other: 'n' },
    'de/common': { a: 'x', b: 'y', list: ['p', 'q'] },
  })
  const before = await server.commits(acme.id)
  const row = (name: string, at: string, body: unknown, status: number, answer?: object): Row => ({
    name,
    method: 'PUT',
    path: `${web}/bundles/${at}`,
    key: acme.key,
    body,
    status,
    check: ({ json }) => {
      if (answer) t.strictSame(json, answer, name)
    },
  })
  const tag = (await server.get(`${web}/bundles/en/common`, acme.key)).headers.etag!
  const pruned = { added: 1, updated: 2, unchanged: 0, skipped: 0, removed: 1, dryRun: false }
  const body = { a: 'z', item_other: 'n', c: 'new' }
  const details = [
    { key: 'a', result: 'updated' },
    { key: 'c', result: 'added' },
    { key: 'item', result: 'updated' },
    { key: 'b', result: 'removed' },
  ]
  await runRows(t, server, [
    ...refusals({ method: 'PUT', path: `${web}/bundles/en/common`, body }, true),
    row('neither true nor false', 'en/common?prune=1', body, 400),
    row('on one key', 'en/common/a?prune=true', { value: 'x' }, 400),
    { ...row('when registering', 'en/common?prune=true', body, 400), method: 'POST' },
    { ...row('stale', 'en/common?prune=true', body, 412), headers: { 'if-match': EMPTY } },
    {
      ...row('dry', 'en/common?prune=true&dryRun=true&details=true', body, 200),
      check: ({ json, headers }) => {
        t.strictSame(json, { ...pruned, dryRun: true, details })
        t.equal(headers.etag, tag)
      },
    },
    { ...row('in the source language', 'en/common?prune=true', body, 200, pruned), headers: { 'if-match': tag } },
    row('again', 'en/common?prune=true', body, 200, { ...pruned, added: 0, updated: 0, unchanged: 3, removed: 0 }),
    row('in another language', 'de/common?prune=true', { a: 'z', list: ['p'] }, 200, {
      added: 0,
      updated: 0,
      unchanged: 1,
      skipped: 1,
      removed: 2,
      dryRun: false,
    }),
    row('without', 'en/common', { a: 'z' }, 200, { added: 0, updated: 0, unchanged: 1, skipped: 0, dryRun: false }),
    row('of what is not there', 'fr/common?prune=true', {}, 200, { ...pruned, added: 0, updated: 0, removed: 0 }),
    row('to nothing', 'de/common?prune=true', {}, 200, { ...pruned, added: 0, updated: 0, removed: 2 }),
  ])
  t.strictSame(await read(`${web}/bundles/en/common`), { a: 'z', c: 'new', item_other: 'n' })
  t.strictSame((await read(web)).languages, ['en'], 'a bundle pruned to nothing is gone')
  t.strictSame(
    (await told(before)).map(line => line.replace(/Parlance-(Project|Language|Namespace): [^|]*\|/g, '')),
    [
      'prune en/common: add 1, update 2, remove 1 key|Parlance-Added: 1|Parlance-Updated: 2|Parlance-Removed: 1',
      'prune de/common: remove 2 keys|Parlance-Added: 0|Parlance-Updated: 0|Parlance-Removed: 2',
      'prune de/common: remove 2 keys|Parlance-Added: 0|Parlance-Updated: 0|Parlance-Removed: 2',
    ],
  )
})

t.test('renames a key in all languages', async t => {
  const { server, acme, member } = scene
  const web = await project('rename', {
    'en/common': { nav: { home: 'Home' }, item_one: '1', item_other: 'n', list: ['p', 'q'] },
    'de/common': { nav: { home: 'Start' }, item_one: '1', 'solo.de': 'x' },
    'fr/common': { other: 'x' },
    'en/home': { nav: { home: 'elsewhere' } },
  })
  const etag = await tagOf(web)
  const before = await server.commits(acme.id)
  const POST = (name: string, body: unknown, status: number, answer?: object): Row => ({
    name,
    method: 'POST',
    path: `${web}/rename-key`,
    key: acme.key,
    body,
    status,
    check: ({ json }) => {
      if (!answer) return
      const { revision, ...rest } = json
      t.match(revision, /^[0-9a-f]{40}$/, name)
      t.strictSame(rest, answer, name)
    },
  })
  const namespace = 'common'
  const home = { namespace, from: 'nav.home', to: 'menu.start' }
  await runRows(t, server, [
    ...refusals({ method: 'POST', path: `${web}/rename-key`, body: home }, true),
    POST('no such key', { ...home, from: 'none' }, 404),
    POST('an object is no key', { ...home, from: 'nav' }, 404),
    POST('no such namespace', { ...home, namespace: 'none' }, 404),
    { ...POST('no such project', home, 404), path: '/api/projects/none/rename-key' },
    { ...POST('a bad slug', home, 400), path: '/api/projects/a..b/rename-key' },
    POST('a name that any language has', { ...home, to: 'other' }, 409),
    POST('its own name', { ...home, to: 'nav.home' }, 409),
    POST('the name of a form', { ...home, to: 'home_one' }, 422),
    POST('a form is no key', { ...home, from: 'item_one' }, 404),
    POST('a plural to where its forms would be ordinal', { ...home, from: 'item', to: 'x_ordinal' }, 422),
    POST('an item with one behind it', { ...home, from: 'list.0' }, 422),
    POST('an empty name', { ...home, to: '' }, 400),
    POST('a name that cannot be', { ...home, to: 'a\0' }, 400),
    POST('a name too long', { ...home, to: 'x'.repeat(1025) }, 400),
    POST('a bad namespace', { ...home, namespace: 'con' }, 400),
    POST('nothing to rename to', { namespace, from: 'nav.home' }, 400),
    POST('a name that is none', { ...home, to: 5 }, 400),
    POST('an unknown field', { ...home, language: 'de' }, 400),
    POST('no object', '[]', 400),
    stale({ method: 'POST', path: `${web}/rename-key`, body: home }, etag),
    { ...POST('of what is there', home, 409), body: { ...home, to: 'other' }, headers: { 'if-match': etag } },
    { ...POST('right, by a member', home, 200, { ...home, languages: ['de', 'en'] }), key: undefined, as: member },
    POST('again', home, 404),
    POST('a plural', { namespace, from: 'item', to: 'thing' }, 200, {
      namespace,
      from: 'item',
      to: 'thing',
      languages: ['de', 'en'],
    }),
    POST('in one language', { namespace, from: 'solo.de', to: 'x/y z' }, 200),
  ])
  t.strictSame(await read(`${web}/bundles/en/common`), {
    list: ['p', 'q'],
    menu: { start: 'Home' },
    thing_one: '1',
    thing_other: 'n',
  })
  t.strictSame(await read(`${web}/bundles/de/common`), { menu: { start: 'Start' }, thing_one: '1', 'x/y z': 'x' })
  t.strictSame(await read(`${web}/bundles/en/home`), { nav: { home: 'elsewhere' } }, 'other namespaces stay')
  t.strictSame(await told(before), [
    'rename common: rename nav.home to menu.start|Parlance-Project: rename|Parlance-Language: de|Parlance-Language: en|Parlance-Namespace: common|Parlance-Added: 2|Parlance-Updated: 0|Parlance-Removed: 2',
    'rename common: rename item to thing|Parlance-Project: rename|Parlance-Language: de|Parlance-Language: en|Parlance-Namespace: common|Parlance-Added: 2|Parlance-Updated: 0|Parlance-Removed: 2',
    'rename common: rename solo.de to x/y z|Parlance-Project: rename|Parlance-Language: de|Parlance-Namespace: common|Parlance-Added: 1|Parlance-Updated: 0|Parlance-Removed: 1',
  ])
})

t.test('deletes a key in all languages', async t => {
  const { server, acme, member } = scene
  const web = await project('everywhere', {
    'en/common': { nav: { home: 'Home' }, item_one: '1', item_other: 'n', list: ['p', 'q'] },
    'de/common': { nav: { home: 'Start' }, item_other: 'n', list: ['p'] },
    'fr/common': { nav: { home: 'Accueil' } },
    'en/home': { nav: { home: 'elsewhere' } },
  })
  const before = await server.commits(acme.id)
  const namespace = 'common'
  const path = `${web}/delete-key`
  const home = { namespace, key: 'nav.home' }
  const POST = (name: string, body: unknown, status: number): Row => ({
    name,
    method: 'POST',
    path,
    key: acme.key,
    body,
    status,
  })
  const right = (body: object, languages: string[]): Partial<Row> => ({
    check: ({ json: { revision, ...rest } }) => {
      t.match(revision, /^[0-9a-f]{40}$/)
      t.strictSame(rest, { ...body, languages })
    },
  })
  const item = { namespace, key: 'item' }
  await runRows(t, server, [
    ...refusals({ method: 'POST', path, body: home }, true),
    POST('no such key', { namespace, key: 'none' }, 404),
    POST('an object is no key', { namespace, key: 'nav' }, 404),
    POST('no such namespace', { namespace: 'none', key: 'nav.home' }, 404),
    { ...POST('no such project', home, 404), path: '/api/projects/none/delete-key' },
    POST('an item with one behind it in one of the languages', { namespace, key: 'list.0' }, 422),
    POST('an unknown field', { ...home, language: 'de' }, 400),
    POST('an empty name', { namespace, key: '' }, 400),
    stale({ method: 'POST', path, body: home }, await tagOf(web)),
    { ...POST('right, by a member', home, 200), key: undefined, as: member, ...right(home, ['de', 'en', 'fr']) },
    POST('again', home, 404),
    { ...POST('a form', { namespace, key: 'item_one' }, 200), ...right({ namespace, key: 'item_one' }, ['en']) },
    { ...POST('a plural', item, 200), ...right(item, ['de', 'en']) },
  ])
  t.strictSame(await read(`${web}/bundles/en/common`), { list: ['p', 'q'] })
  t.strictSame(await read(`${web}/bundles/de/common`), { list: ['p'] }, 'no language changed when one refused')
  t.equal((await server.get(`${web}/bundles/fr/common`, acme.key)).status, 404, 'an empty bundle is deleted')
  t.strictSame(await read(`${web}/bundles/en/home`), { nav: { home: 'elsewhere' } }, 'other namespaces stay')
  const trailers = (languages: string[], removed: number) =>
    [
      'Project: everywhere',
      ...languages.map(language => `Language: ${language}`),
      'Namespace: common',
      'Added: 0',
      'Updated: 0',
      `Removed: ${removed}`,
    ].map(line => `|Parlance-${line}`)
  t.equal(
    (await told(before))[0],
    `everywhere common: delete nav.home${trailers(['de', 'en', 'fr'], 3).join('')}`,
    'one commit',
  )
})

t.test('changes name and format of a project', async t => {
  const { server, acme, admin } = scene
  const nested = { nav: { home: 'h' }, v: { '1.0': 'x' }, list: ['p', 'q'], item_one: '1', item_other: 'n' }
  const flat = { 'nav.home': 'h', 'v.1.0': 'x', 'list.0': 'p', 'list.1': 'q', item_one: '1', item_other: 'n' }
  const web = await project('change', {
    'en/common': nested,
    'de/common': { nav: { home: 'd' } },
    'de/home': { a: 'x' },
  })
  const models = async () =>
    [...(await server.model(acme.key, web, 'en', 'common'))].map(row => JSON.stringify(row)).sort()
  const model = await models()
  const before = await server.commits(acme.id)
  const row = { slug: 'change', name: 'change', sourceLanguage: 'en', defaultFormat: 'i18next-json' }
  const PATCH = (name: string, body: unknown, status: number, answer?: object): Row => ({
    name,
    method: 'PATCH',
    path: web,
    key: acme.key,
    body,
    status,
    check: ({ json }) => {
      if (answer) t.strictSame(json, answer, name)
    },
  })
  const named = { ...row, name: 'Web' }
  await runRows(t, server, [
    ...refusals({ method: 'PATCH', path: web, body: { name: 'Web' } }, false),
    { ...PATCH('no such project', { name: 'x' }, 404), path: '/api/projects/none' },
    { ...PATCH('a bad slug', { name: 'x' }, 400), path: '/api/projects/a..b' },
    PATCH('a name that is none', { name: ' ' }, 400),
    PATCH('a name of null', { name: null }, 400),
    PATCH('a format that is none', { defaultFormat: 'json' }, 400),
    { ...PATCH('a slug', { slug: 'other' }, 400), check: ({ json }) => t.match(json.error, /"slug"/) },
    {
      ...PATCH('a source language', { sourceLanguage: 'de' }, 400),
      check: ({ json }) => t.match(json.error, /"sourceLanguage"/),
    },
    PATCH('no object', '[]', 400),
    PATCH('too large', { name: 'x'.repeat(20_000) }, 413),
    stale({ method: 'PATCH', path: web, body: { name: 'Web' } }, await tagOf(web)),
    { ...PATCH('of what is there', {}, 200, row), headers: { 'if-match': await tagOf(web) } },
    { ...PATCH('a name, by an admin', { name: ' Web ' }, 200, named), key: undefined, as: admin },
    PATCH('the same', { name: 'Web', defaultFormat: 'i18next-json' }, 200, named),
    PATCH('nothing', {}, 200, named),
    PATCH('a format', { defaultFormat: 'i18next-json-flat' }, 200, { ...named, defaultFormat: 'i18next-json-flat' }),
  ])
  t.strictSame(await read(`${web}/bundles/en/common`), flat)
  t.strictSame(await read(`${web}/bundles/de/common`), { 'nav.home': 'd' })
  t.match(await read(web), { defaultFormat: 'i18next-json-flat', languages: ['de', 'en'] })
  t.strictSame(await models(), model, 'the model is the same')
  const push = await server.put(`${web}/bundles/en/common`, acme.key, { 'nav.home': 'h', fresh: { key: 'f' } })
  t.match(push.json, { added: 1, unchanged: 1 })
  await runRows(t, server, [
    PATCH('and back, with a name', { name: 'W', defaultFormat: 'i18next-json' }, 200, { ...row, name: 'W' }),
  ])
  t.strictSame(await read(`${web}/bundles/en/common`), {
    fresh: { key: 'f' },
    item_one: '1',
    item_other: 'n',
    list: { 0: 'p', 1: 'q' },
    nav: { home: 'h' },
    v: { 1: { 0: 'x' } },
  })
  t.strictSame(await told(before), [
    'change project change: new name|Parlance-Project: change',
    'change project change: format i18next-json-flat|Parlance-Project: change',
    'change en/common: add fresh.key|Parlance-Project: change|Parlance-Language: en|Parlance-Namespace: common|Parlance-Added: 1|Parlance-Updated: 0',
    'change project change: new name, format i18next-json|Parlance-Project: change',
  ])
  t.equal(
    server.git(acme.id, 'show', '--name-only', '--format=', 'HEAD~2').trim().split('\n').length,
    3,
    'all files at once',
  )
})

t.test('deletes a project', async t => {
  const { server, acme, admin, other } = scene
  const web = await project('gone', { 'en/common': { a: 'x' }, 'de/common': { a: 'y' }, 'de/home': { a: 'z' } })
  const theirs = await server.project(other.key, 'gone')
  const before = await server.commits(acme.id)
  const DELETE = { method: 'DELETE', path: web, key: acme.key }
  await runRows(t, server, [
    ...refusals({ method: 'DELETE', path: web }, false).filter(({ key }) => key !== other.key),
    { ...DELETE, name: 'no such project', path: '/api/projects/none', status: 404 },
    { ...DELETE, name: 'in another case', path: '/api/projects/Gone', status: 404 },
    { ...DELETE, name: 'a bad slug', path: '/api/projects/a..b', status: 400 },
    stale({ method: 'DELETE', path: web }, await tagOf(web)),
    {
      ...DELETE,
      name: 'right, by an admin',
      key: undefined,
      as: admin,
      headers: { 'if-match': await tagOf(web) },
      status: 204,
      check: ({ text }) => t.equal(text, ''),
    },
    { ...DELETE, name: 'again', status: 404 },
    { name: 'its bundles', method: 'GET', path: `${web}/bundles/en/common`, key: acme.key, status: 404 },
    {
      name: 'a write to it',
      method: 'PUT',
      path: `${web}/bundles/en/common`,
      key: acme.key,
      body: { a: 'x' },
      status: 404,
    },
    { name: 'another organization has its own', method: 'GET', path: theirs, key: other.key, status: 200 },
  ])
  t.strictSame(await told(before), ['delete project gone|Parlance-Project: gone'])
  t.equal(server.git(acme.id, 'ls-tree', '-r', '--name-only', 'HEAD', 'gone/'), '')
  t.equal(server.git(acme.id, 'status', '--porcelain'), '')
  t.equal(server.git(acme.id, 'show', 'HEAD~1:gone/locales/de/home.json'), '{\n  "a": "z"\n}\n', 'the history has it')
  t.equal((await server.post('/api/projects', acme.key, { slug: 'GONE', name: 'x', sourceLanguage: 'en' })).status, 201)
})
