import t from 'tap'
import { openScene, type Row, runRows, type Scene, segment } from './server.ts'

let scene: Scene
const web = '/api/projects/web/bundles'

t.before(async () => {
  scene = await openScene(t)
  await scene.server.project(scene.acme.key, 'web')
})

const row = (name: string, method: string, path: string, body: unknown, status: number, answer?: object): Row => ({
  name,
  method,
  path: `${web}/${path}`,
  key: scene.acme.key,
  body,
  status,
  check: (reply, t) => {
    if (answer) t.match(reply.json, answer, `${name}: ${reply.text.slice(0, 200)}`)
  },
})

t.test('refuses writes without the right, in the order of the checks', async t => {
  const { server, acme, member, other } = scene
  const kinds: [string, string, unknown][] = [
    ['POST', 'who', { a: 'x' }],
    ['PUT', 'who', { a: 'x' }],
    ['PUT', 'who/a', { value: 'x' }],
  ]
  for (const [method, at, body] of kinds) {
    const write = { method, path: `${web}/en/${at}`, body }
    await runRows(t, server, [
      { ...write, name: `${method} nobody`, status: 401 },
      { ...write, name: `${method} another organization`, key: other.key, status: 404 },
      { ...write, name: `${method} a member`, as: member, status: 200 },
      { ...write, name: `${method} an owner`, as: acme.owner, status: 200 },
      {
        ...write,
        name: `${method} an unknown project`,
        path: `/api/projects/none/bundles/en/${at}`,
        key: acme.key,
        status: 404,
      },
      {
        ...write,
        name: `${method} bad language first`,
        path: `${web}/e_n/${at}`,
        body: '{',
        key: acme.key,
        status: 400,
      },
      {
        ...write,
        name: `${method} unknown parameter`,
        path: `${web}/en/${at}?dryrun=true`,
        key: acme.key,
        status: 400,
      },
      {
        ...write,
        name: `${method} ICU`,
        key: acme.key,
        body: { a: '{n, plural, other {x}}', value: '{n, plural, other {x}}' },
        status: method === 'PUT' && at !== 'who' ? 400 : 422,
      },
    ])
  }
})

t.test('adds missing keys and overwrites none with POST', async t => {
  await runRows(t, scene.server, [
    row('new', 'POST', 'de/missing', { a: 'A', b: '', item_one: 'one' }, 200, { added: 3, updated: 0, skipped: 0 }),
    row('again', 'POST', 'de/missing', { a: 'other', b: 'B', item_other: 'many', c: 'C' }, 200, {
      added: 1,
      updated: 2,
      skipped: 1,
    }),
    row('what is equal is skipped too', 'POST', 'de/missing', { a: 'A', c: 'x' }, 200, {
      added: 0,
      updated: 0,
      skipped: 2,
    }),
    row('nothing', 'POST', 'de/missing', {}, 200, { added: 0, updated: 0, skipped: 0 }),
    row('into the source language as well', 'POST', 'en/missing', { a: 'A' }, 200, { added: 1 }),
    row('and there', 'POST', 'en/missing', { a: 'B' }, 200, { added: 0, updated: 0, skipped: 1 }),
    row('dryRun is for PUT', 'POST', 'en/missing?dryRun=true', { a: 'B' }, 400),
    row('an array', 'POST', 'en/missing', [], 422),
    row('a number', 'POST', 'en/missing', { a: 5 }, 422, { error: /a/ }),
  ])
  const { text } = await scene.server.get(`${web}/de/missing`, scene.acme.key)
  t.equal(text, '{\n  "a": "A",\n  "b": "B",\n  "c": "C",\n  "item_one": "one",\n  "item_other": "many"\n}\n')
})

t.test('overwrites with PUT in the source language, and adds missing keys in other languages', async t => {
  const { server, acme } = scene
  const counts = (added: number, updated: number, unchanged: number, skipped: number, dryRun = false) => ({
    added,
    updated,
    unchanged,
    skipped,
    dryRun,
  })
  const exact = (path: string, body: unknown, answer: object): Row => ({
    ...row(path, 'PUT', path, body, 200),
    check: (reply, t) => t.strictSame(reply.json, answer, path),
  })
  await runRows(t, server, [
    exact('en/push', { a: 'A', b: 'B' }, counts(2, 0, 0, 0)),
    exact('de/push', { a: 'A', b: 'B' }, counts(2, 0, 0, 0)),
    exact('en/push?dryRun=true', { a: 'A2', b: 'B', c: 'C' }, counts(1, 1, 1, 0, true)),
    exact('en/push?dryRun=false', { a: 'A2', b: 'B', c: 'C' }, counts(1, 1, 1, 0)),
    exact('de/push', { a: 'A2', b: 'B', c: 'C' }, counts(1, 0, 1, 1)),
    exact(
      'de/push?details=true&dryRun=true',
      { a: 'A3', d: 'D' },
      {
        ...counts(1, 0, 0, 1, true),
        details: [
          { key: 'a', result: 'skipped', reason: 'a text is stored already' },
          { key: 'd', result: 'added' },
        ],
      },
    ),
    row('a flag that is none', 'PUT', 'de/push?dryRun=1', {}, 400),
    row('a flag twice', 'PUT', 'de/push?dryRun=true&dryRun=true', {}, 400),
    row('an empty flag', 'PUT', 'de/push?dryRun=', {}, 400),
  ])
  t.strictSame((await server.get(`${web}/de/push`, acme.key)).json, { a: 'A', b: 'B', c: 'C' })
})

t.test('returns the result of a dry run and writes nothing', async t => {
  const { server, acme } = scene
  const before = await server.get(`${web}/en/push`, acme.key)
  const dry = await server.put(`${web}/en/push?dryRun=true`, acme.key, { a: 'changed' })
  t.equal(dry.headers.etag, before.headers.etag, 'the current entity tag')
  t.equal((await server.put(`${web}/en/push?dryRun=true`, acme.key, { a: 'x' }, { 'if-match': '"0"' })).status, 412)
  t.equal((await server.put(`${web}/en/push?dryRun=true`, acme.key, { a: 5 })).status, 422)
  t.equal((await server.put(`${web}/EN/push?dryRun=true`, acme.key, { a: 'x' })).status, 409)
  const wet = await server.put(`${web}/en/push`, acme.key, { a: 'changed' })
  t.equal(wet.headers.etag, (await server.get(`${web}/en/push`, acme.key)).headers.etag, 'the new one')
})

t.test('one key', async t => {
  const { server, acme } = scene
  const put = (name: string, key: string, value: unknown, status: number, message?: unknown) =>
    row(
      name,
      'PUT',
      `en/keys/${segment(key)}`,
      { value },
      status,
      message === undefined ? undefined : { namespace: 'keys', message },
    )
  await runRows(t, server, [
    put('a text', 'a', 'A', 200, 'A'),
    put('overwritten', 'a', 'A2', 200, 'A2'),
    put('a form', 'item_one', 'one', 200, { cardinal: { one: 'one' } }),
    put('another form', 'item_other', 'many', 200, { cardinal: { one: 'one', other: 'many' } }),
    put('a text at a plural', 'item', 'x', 422),
    put('a form at a text', 'a_one', 'x', 422),
    put('an ordinal form at a cardinal', 'item_ordinal_one', 'x', 422),
    put('a whole plural', 'item', { one: '1', other: 'n' }, 200, { cardinal: { one: '1', other: 'n' } }),
    put('a number', 'a', 5, 422),
    put('null', 'a', null, 422),
    { ...put('no value', 'a', 'x', 400), body: {} },
    { ...put('an unknown field', 'a', 'x', 400), body: { value: 'x', values: 'y' } },
    { ...put('no object', 'a', 'x', 400), body: '"x"' },
    put('blanked', 'a', '', 200, ''),
    put('too long', 'a', 'x'.repeat(100_001), 422),
  ])
  const odd = [
    'a/b',
    'a b',
    'ä😀',
    '100%',
    '%25',
    '%2F',
    'a?b',
    'a#b',
    'a:b',
    '"',
    '\\',
    '+',
    '__proto__',
    'constructor',
    '..a',
    'a..',
    '\u0001',
    "it's",
    '@',
    'x'.repeat(1_024),
    '😀'.repeat(1_024),
  ]
  for (const key of odd) {
    const reply = await server.put(`${web}/en/odd/${segment(key)}`, acme.key, { value: key })
    t.equal(reply.status, 200, `${key.slice(0, 20)}: ${reply.text.slice(0, 200)}`)
    t.equal(reply.json?.key, key, key.slice(0, 20))
  }
  const model = await server.model(acme.key, '/api/projects/web', 'en', 'odd')
  for (const key of odd) t.equal(model.get(key), key, key.slice(0, 20))
  for (const key of ['\0', 'x'.repeat(1_025), 'a.'.repeat(32)]) {
    t.equal((await server.put(`${web}/en/odd/${segment(key)}`, acme.key, { value: 'x' })).status, 400, key.slice(0, 20))
  }
})

t.test('returns 409 when a name differs from an existing one only in case', async t => {
  await scene.server.project(scene.acme.key, 'sv-project', 'sv-SE')
  const bare = '/api/projects/sv-project/bundles'
  await runRows(t, scene.server, [
    row('a namespace', 'PUT', 'en/CaseTest', { a: 'x' }, 200),
    row('the same', 'PUT', 'en/casetest', { a: 'x' }, 409, { error: /"CaseTest"/ }),
    row('the same in another language', 'POST', 'de/CASETEST', { a: 'x' }, 409),
    row('by key', 'PUT', 'de/casetest/k', { value: 'x' }, 409),
    row('an empty push is refused all the same', 'PUT', 'de/casetest', {}, 409),
    row('the very same name in another language', 'PUT', 'de/CaseTest', { a: 'x' }, 200),
    row('a language', 'PUT', 'pt-BR/a', { a: 'x' }, 200),
    row('the same language', 'PUT', 'pt-br/a', { a: 'x' }, 409, { error: /"pt-BR"/ }),
    { ...row('the source language, without a file yet', 'PUT', '', { a: 'x' }, 409), path: `${bare}/sv-se/a` },
    { ...row('as it is written', 'PUT', '', { a: 'x' }, 200), path: `${bare}/sv-SE/a` },
  ])
})

t.test('creates no file for an empty push, and no commit without a change', async t => {
  const { server, acme } = scene
  const revision = async () => {
    await server.commits(acme.id)
    return server.git(acme.id, 'rev-parse', 'HEAD')
  }
  const before = await revision()
  const empty = await server.put(`${web}/it/none`, acme.key, {})
  t.equal(empty.status, 200)
  t.equal(empty.headers.etag, 'W/"0967ef424bce6791893e9a57bb952f80fd536e93"')
  t.equal((await server.get(`${web}/it/none`, acme.key)).status, 404, 'the language does not exist')
  t.equal((await server.post(`${web}/en/none`, acme.key, {})).status, 200)
  t.equal((await server.put(`${web}/en/push/a`, acme.key, { value: 'changed' })).status, 200)
  t.equal((await server.put(`${web}/en/push`, acme.key, { a: 'changed' })).status, 200)
  t.equal((await server.put(`${web}/en/push?dryRun=true`, acme.key, { a: 'dry' })).status, 200)
  t.equal(await revision(), before)
})

t.test('writes one commit with subject and trailers for each write', async t => {
  const { server, other } = scene
  await server.project(other.key, 'log')
  const at = '/api/projects/log/bundles/de/common'
  const { key } = other
  await server.put(at, key, { a: 'A', b: '' })
  await server.put(at, key, { b: 'B', c: 'C', d: 'D' })
  await server.post(at, key, { 'nav.home': 'x' })
  await server.put(`${at}/nav.home`, key, { value: 'y' })
  await server.put(`${at}/item_one`, key, { value: 'one' })
  await server.put(`${at}/${segment('evil\nParlance-Added: 99\u0000'.slice(0, 24))}`, key, { value: 'one' })
  await server.call('PUT', `${at}/by.session`, { as: other.owner, body: { value: 'x' } })
  await server.commits(other.id)
  const subjects = server.git(other.id, 'log', '--reverse', '--format=%s').trim().split('\n')
  t.strictSame(subjects.slice(0, 6), [
    'create project log',
    'log de/common: add 2 keys',
    'log de/common: add 2, update 1 key',
    'log de/common: add nav.home',
    'log de/common: update nav.home',
    'log de/common: add item_one',
  ])
  const trailers = server
    .git(other.id, 'log', '--reverse', '--format=%(trailers:unfold,separator=%x7c)')
    .trim()
    .split('\n')
  t.equal(
    trailers[2],
    'Parlance-Project: log|Parlance-Language: de|Parlance-Namespace: common|Parlance-Added: 2|Parlance-Updated: 1',
  )
  t.equal(
    trailers.some(line => /Added: 99/.test(line)),
    false,
    'a key forges no trailer',
  )
  const author = server.git(other.id, 'log', '-1', '--format=%an <%ae>').trim()
  t.equal(author, `Otto <${other.owner.user.email}>`)
})

t.test('stores 64 concurrent writes to one namespace, each as one commit', async t => {
  const { server, acme } = scene
  const count = await server.commits(acme.id)
  const keys = Array.from({ length: 64 }, (_, index) => `key${index}`)
  const answers = await Promise.all(keys.map(key => server.post(`${web}/en/crowd`, acme.key, { [key]: key })))
  t.strictSame(new Set(answers.map(({ status, json }) => `${status} ${json.added}`)), new Set(['200 1']))
  t.equal(Object.keys((await server.get(`${web}/en/crowd`, acme.key)).json).length, 64)
  t.equal((await server.commits(acme.id)) - count, 64)
  t.equal(server.git(acme.id, 'status', '--porcelain'), '')
})

t.test('returns the changes of each of many concurrent pushes', async t => {
  const { server, acme } = scene
  for (let round = 0; round < 10; round++) {
    const path = `${web}/en/told${round}`
    const own = { one: 'x', two: 'x' }
    const [first, ...later] = await Promise.all([
      server.call('PUT', `${path}?details=true`, { key: acme.key, body: own }),
      ...['three', 'four', 'five'].map(name => server.call('POST', path, { key: acme.key, body: { [name]: 'x' } })),
    ])
    t.same(
      later.map(({ json }) => json.added),
      [1, 1, 1],
    )
    const added = ['one', 'two'].map(key => ({ key, result: 'added' }))
    t.same(
      [...first.json.details].sort((a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)),
      added,
    )
  }
})
