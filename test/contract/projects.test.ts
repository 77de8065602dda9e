/** Projects: names, bodies, conflicts, lists, manifests, conditional reads, roles and token scopes. */
import t, { type Test } from 'tap'
import {
  hashObject,
  isError,
  type Organization,
  oneOf,
  type Reply,
  type Server,
  type Session,
  startServer,
} from './server.ts'

let server: Server
let acme: Organization
let admin: Session
let member: Session
let reader: string
let serial = 0

const fresh = () => `p${++serial}`
const create = (body: unknown) => server.post('/api/projects', acme.key, body)
const project = (part: Record<string, unknown>) => ({ name: 'Web', slug: fresh(), sourceLanguage: 'en', ...part })

t.before(async () => {
  server = await startServer(t)
  acme = await server.organization()
  admin = await server.join(acme, 'Adam', 'admin')
  member = await server.join(acme, 'Mia', 'member')
  reader = (await server.mint(acme.owner, 'reader', 'read')).key
})

const x = (length: number) => 'x'.repeat(length)

t.test('returns the four fields of a created project', async t => {
  const given = { name: '  Acme web  ', slug: 'web', sourceLanguage: 'en' }
  const reply = await create(given)
  t.equal(reply.status, 201)
  t.strictSame(reply.json, { name: 'Acme web', slug: 'web', sourceLanguage: 'en', defaultFormat: 'i18next-json' })
  t.match(reply.headers['content-type'], /^application\/json/)
  const flat = await create(project({ slug: 'flat', defaultFormat: 'i18next-json-flat' }))
  t.equal(flat.json.defaultFormat, 'i18next-json-flat')
})

t.test('slugs', async t => {
  const good = [
    'a',
    'Z',
    '0',
    'a-b',
    'a.b',
    'a_b',
    'a--b',
    'a__b',
    'A.b-C_9',
    x(64),
    'console',
    'null',
    'com',
    'com10',
    'json',
  ]
  const better = [
    'locked',
    'lock',
    'a.locks',
    'constructors',
    'auxiliary',
    'prototypes',
    'locales',
    'api',
    'x.git',
    'conn.txt',
  ]
  for (const slug of [...good, ...better]) {
    const reply = await create(project({ slug }))
    t.equal(reply.status, 201, `${slug}: ${reply.text}`)
    t.equal((await server.get(`/api/projects/${slug}`, acme.key)).status, 200, `${slug} is read`)
  }
  const bad: unknown[] = [
    '',
    ' ',
    'a b',
    ' a',
    'a ',
    'a/b',
    'a\\b',
    '-a',
    'a-',
    '.a',
    'a.',
    '_a',
    'a_',
    '.',
    '..',
    'a..b',
    'x.lock',
  ]
  bad.push(
    x(65),
    'ä',
    'aé',
    'a\n',
    'a\u0000',
    'a%2fb',
    'a?b',
    'a#b',
    'a:b',
    'a~b',
    'a^b',
    '日本',
    '😀',
    '../x',
    'a/../b',
    '@',
    'a@{b',
  )
  bad.push(
    'con',
    'CON',
    'Con',
    'prn',
    'aux',
    'nul',
    'NUL',
    'nul.txt',
    'Nul.TXT',
    'com1',
    'COM9',
    'lpt1',
    'LPT9.x',
    'aux.json',
  )
  bad.push('constructor', 'prototype', '__proto__', 'x.json', 'project.json', 'a.b.json')
  bad.push(5, 0, null, true, [], ['a'], {}, undefined)
  for (const slug of bad) isError(t, await create(project({ slug })), 400, `slug ${JSON.stringify(slug)}`)
})

t.test('names', async t => {
  const good = ['A', x(100), 'Ünïcode 名前 😀', `  ${x(100)}  `, 'a/b <c> "d"', '__proto__', '0']
  for (const name of good) {
    const reply = await create(project({ name }))
    t.equal(reply.status, 201, `${name.slice(0, 20)}: ${reply.text.slice(0, 80)}`)
    t.equal(reply.json?.name, name.trim(), 'trimmed')
  }
  const bad = [
    '',
    ' ',
    ' \t\n ',
    x(101),
    'a\u0000b',
    'a\nb',
    'a\rb',
    'a\tb',
    'a\u001bb',
    'a\u007fb',
    5,
    null,
    true,
    [],
    {},
    undefined,
  ]
  for (const name of bad) isError(t, await create(project({ name })), 400, `name ${JSON.stringify(name)}`)
  oneOf(t, (await create(project({ name: 'a\ud800' }))).status, [201, 400], 'a lone surrogate in a name breaks nothing')
})

t.test('accepts valid source languages only', async t => {
  const good = [
    'en',
    'EN',
    'pt-BR',
    'pt-br',
    'zh-Hans',
    'zh-Hans-CN',
    'en-x-pirate',
    'es-419',
    'de-DE-formal',
    'dev',
    'ast',
    'iw',
  ]
  good.push('he', 'sr-Latn-RS', 'de-1996', 'no', 'tl', 'sh', 'en-x-abcdefgh-abcdefgh-abcdefgh-abc')
  for (const sourceLanguage of good) {
    const slug = fresh()
    const reply = await create(project({ slug, sourceLanguage }))
    t.equal(reply.status, 201, `${sourceLanguage}: ${reply.text}`)
    t.equal(reply.json?.sourceLanguage, sourceLanguage, 'stored as written')
    const manifest = await server.get(`/api/projects/${slug}`, acme.key)
    t.strictSame(manifest.json?.languages, [sourceLanguage], 'the source language always exists')
  }
  const bad: unknown[] = [
    '',
    ' ',
    'e',
    'engl',
    'english',
    'en_US',
    'pt_BR',
    'en-',
    '-en',
    'en--US',
    'en-toolongsubtag',
    'x-pirate',
  ]
  bad.push(
    'zh-CHS',
    'ca@valencia',
    '../en',
    'en/US',
    'en.json',
    '__proto__',
    'cimode',
    'a-b',
    'en ',
    ' en',
    'en\n',
    'de-a',
    '12',
  )
  bad.push(
    'en-x-abcdefgh-abcdefgh-abcdefgh-abcdef',
    'ён',
    'en-é',
    'i-klingon',
    5,
    null,
    true,
    [],
    ['en'],
    {},
    undefined,
  )
  for (const sourceLanguage of bad) {
    isError(t, await create(project({ sourceLanguage })), 400, `sourceLanguage ${JSON.stringify(sourceLanguage)}`)
  }
})

t.test('formats', async t => {
  for (const defaultFormat of [
    'i18next',
    'nested',
    'flat',
    '',
    'I18NEXT-JSON',
    'i18next-json ',
    null,
    5,
    true,
    [],
    ['i18next-json'],
    {},
  ]) {
    isError(t, await create(project({ defaultFormat })), 400, `defaultFormat ${JSON.stringify(defaultFormat)}`)
  }
})

t.test('returns 400 when a body is no project', async t => {
  for (const body of [
    '[]',
    '"web"',
    '5',
    'null',
    'true',
    '{}',
    '{"name":"a"}',
    '{"slug":"abc","sourceLanguage":"en"}',
  ]) {
    isError(t, await create(body), 400, body)
  }
  const unknown = await create(project({ colour: 'red', organizationId: acme.id }))
  isError(t, unknown, 400, 'unknown fields')
  t.match(unknown.json?.error, /colour/, 'named')
  t.match(unknown.json?.error, /organizationId/, 'all of them')
  const polluting = `{"name":"a","slug":"${fresh()}","sourceLanguage":"en","__proto__":{"polluted":"yes"}}`
  isError(t, await create(polluting), 400, '__proto__ is an unknown field like any other')
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  isError(
    t,
    await server.call('POST', '/api/projects?x=1', { key: acme.key, body: project({}) }),
    400,
    'unknown query parameter',
  )
  isError(t, await server.call('POST', '/api/projects', { key: acme.key }), [400, 415], 'no body')
})

t.test('returns 413 above 16 KiB', async t => {
  const sized = (bytes: number) => {
    const text = JSON.stringify(project({}))
    return text.replace('{', `{${' '.repeat(bytes - Buffer.byteLength(text))}`)
  }
  t.equal((await create(sized(16 * 1024))).status, 201, 'exactly at the limit')
  isError(t, await create(sized(16 * 1024 + 1)), 413, 'one byte past it')
  isError(t, await create(project({ name: x(100_000) })), 413, 'far past it')
  isError(
    t,
    await server.call('POST', '/api/projects', { key: acme.key, body: sized(20_000), chunked: true }),
    413,
    'chunked',
  )
})

t.test('returns 409 when a slug differs only in case', async t => {
  await server.project(acme.key, 'Shop')
  for (const slug of ['Shop', 'shop', 'SHOP', 'sHoP']) isError(t, await create(project({ slug })), 409, slug)
  const list = await server.get('/api/projects', acme.key)
  const shops = list.json.projects.filter((row: { slug: string }) => row.slug.toLowerCase() === 'shop')
  t.strictSame(shops, [{ slug: 'Shop', name: 'Shop', sourceLanguage: 'en', defaultFormat: 'i18next-json' }])
  isError(t, await server.get('/api/projects/shop', acme.key), 404, 'a case variant is not the project')
})

t.test('creates one project when two requests have the same slug', async t => {
  const slug = fresh()
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => create(project({ slug }))))).map(
    reply => reply.status,
  )
  t.strictSame(statuses.sort(), [201, 409, 409, 409, 409, 409, 409, 409])
})

t.test('returns exactly the documented fields in list and manifest', async t => {
  const other = await server.organization('Otto')
  const empty = await server.get('/api/projects', other.key)
  t.equal(empty.status, 200)
  t.strictSame(empty.json, { projects: [] })
  const web = await server.project(other.key, 'web')
  await server.project(other.key, 'app', 'de', 'i18next-json-flat')
  const list = await server.get('/api/projects', other.key)
  t.strictSame(Object.keys(list.json), ['projects'])
  t.strictSame(
    list.json.projects.sort((a: { slug: string }, b: { slug: string }) => (a.slug < b.slug ? -1 : 1)),
    [
      { slug: 'app', name: 'app', sourceLanguage: 'de', defaultFormat: 'i18next-json-flat' },
      { slug: 'web', name: 'web', sourceLanguage: 'en', defaultFormat: 'i18next-json' },
    ],
  )
  const manifest = { defaultFormat: 'i18next-json', sourceLanguage: 'en', languages: ['en'], namespaces: [] }
  t.strictSame((await server.get(web, other.key)).json, manifest)
  await server.must('PUT', `${web}/bundles/de/common`, { key: other.key, body: { a: 'A' } })
  await server.must('PUT', `${web}/bundles/en/home`, { key: other.key, body: { a: 'A' } })
  await server.must('PUT', `${web}/bundles/pt-BR/common`, { key: other.key, body: { a: 'A' } })
  const grown = (await server.get(web, other.key)).json
  t.strictSame(Object.keys(grown).sort(), ['defaultFormat', 'languages', 'namespaces', 'sourceLanguage'])
  t.strictSame(grown.languages.sort(), ['de', 'en', 'pt-BR'])
  t.strictSame(grown.namespaces.sort(), ['common', 'home'])
})

/** Weak, a git object id: 40 hexadecimal digits. */
const WEAK = /^W\/"[0-9a-f]{40}"$/

function privateRead(t: Test, reply: Reply, message: string) {
  t.equal(reply.headers['cache-control'], 'private, no-cache', `${message}: Cache-Control`)
  const vary = String(reply.headers.vary ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  t.ok(vary.includes('cookie') && vary.includes('x-api-key'), `${message}: Vary is ${reply.headers.vary}`)
}

t.test('answers conditional reads, private to the organization', async t => {
  const bob = await server.organization('Bob')
  const web = await server.project(bob.key, 'web')
  await server.must('PUT', `${web}/bundles/en/common`, { key: bob.key, body: { a: 'A' } })
  await server.commits(bob.id)
  for (const path of ['/api/projects', web, `${web}/bundles/en`, `${web}/bundles/en/common`]) {
    const whole = await server.get(path, bob.key)
    const etag = String(whole.headers.etag)
    t.match(etag, WEAK, `${path}: ETag`)
    privateRead(t, whole, path)
    const id = etag.slice(3, -1)
    const type = server.git(bob.id, 'cat-file', '-t', id).trim()
    t.equal(type, path.endsWith('/common') ? 'blob' : 'tree', `${path}: its ETag names a git object`)
    for (const sent of [etag, `"${id}"`, `"x", ${etag}`, `W/"x",${etag} , "y"`, '*']) {
      const reply = await server.get(path, bob.key, { 'if-none-match': sent })
      t.equal(reply.status, 304, `${path}: If-None-Match ${sent}`)
      t.equal(reply.bytes.length, 0, 'has no body')
      t.equal(reply.headers.etag, etag, 'repeats the ETag')
      privateRead(t, reply, `${path} 304`)
    }
    for (const sent of ['"x"', 'W/"x"', `"W/${etag.slice(3)}`, 'nonsense,,', `"${id.slice(1)}"`]) {
      t.equal(
        (await server.get(path, bob.key, { 'if-none-match': sent })).status,
        200,
        `${path}: If-None-Match ${sent}`,
      )
    }
    const head = await server.call('HEAD', path, { key: bob.key })
    t.equal(head.status, 200, `HEAD ${path}`)
    t.equal(head.bytes.length, 0)
    t.equal(head.headers.etag, etag)
    t.equal(head.headers['content-length'], String(whole.bytes.length), 'HEAD knows the length')
    privateRead(t, head, `HEAD ${path}`)
    const headAgain = await server.call('HEAD', path, { key: bob.key, headers: { 'if-none-match': etag } })
    t.equal(headAgain.status, 304, `HEAD ${path} 304`)
  }
  await server.sealed(bob.id)
  const language = await server.get(`${web}/bundles/en`, bob.key)
  t.equal(language.headers.etag, `W/"${server.git(bob.id, 'rev-parse', 'HEAD:web/locales/en').trim()}"`)
  const bundle = await server.get(`${web}/bundles/en/common`, bob.key)
  t.equal(bundle.headers.etag, `W/"${hashObject(bundle.bytes)}"`)
  t.equal(bundle.headers.etag, `W/"${server.git(bob.id, 'rev-parse', 'HEAD:web/locales/en/common.json').trim()}"`)
})

t.test('changes an ETag with its content', async t => {
  const cat = await server.organization('Cat')
  const web = await server.project(cat.key, 'web')
  const tags = async () =>
    Promise.all(
      ['/api/projects', web, `${web}/bundles/en`].map(async path => (await server.get(path, cat.key)).headers.etag),
    )
  const before = await tags()
  await server.must('PUT', `${web}/bundles/en/common`, { key: cat.key, body: { a: 'A' } })
  const after = await tags()
  t.not(after[1], before[1], 'the manifest, which now has a namespace')
  t.not(after[2], before[2], 'the language')
  const stale = await server.get(web, cat.key, { 'if-none-match': String(before[1]) })
  t.equal(stale.status, 200, 'the old ETag no longer matches')
  await server.project(cat.key, 'second')
  t.not((await tags())[0], after[0], 'the list')
})

t.test('checks roles and scopes', async t => {
  const web = await server.project(acme.key, 'roles')
  const write = (as: Session) => server.call('POST', '/api/projects', { as, body: project({}) })
  t.equal((await write(acme.owner)).status, 201, 'owner creates')
  t.equal((await write(admin)).status, 201, 'admin creates')
  isError(t, await write(member), 403, 'member does not create')
  for (const [who, as] of [
    ['owner', acme.owner],
    ['admin', admin],
    ['member', member],
  ] as const) {
    t.equal((await server.call('GET', '/api/projects', { as })).status, 200, `${who} lists`)
    t.equal((await server.call('GET', web, { as })).status, 200, `${who} reads the manifest`)
    const body = { [who]: 'x' }
    t.equal((await server.call('POST', `${web}/bundles/en/common`, { as, body })).status, 200, `${who} fills`)
    t.equal((await server.call('PUT', `${web}/bundles/en/common`, { as, body })).status, 200, `${who} pushes`)
    const one = await server.call('PUT', `${web}/bundles/en/common/${who}`, { as, body: { value: 'y' } })
    t.equal(one.status, 200, `${who} edits one key`)
    t.equal((await server.call('GET', `${web}/bundles/en`, { as })).status, 200, `${who} reads a language`)
  }
  for (const [method, path, body] of [
    ['POST', '/api/projects', project({})],
    ['POST', `${web}/bundles/en/common`, { n: 'x' }],
    ['PUT', `${web}/bundles/en/common`, { n: 'x' }],
    ['PUT', `${web}/bundles/en/common?dryRun=true`, { n: 'x' }],
    ['PUT', `${web}/bundles/en/common/n`, { value: 'x' }],
  ] as const) {
    const reply = await server.call(method, path, { key: reader, body })
    if (path.includes('dryRun')) oneOf(t, reply.status, [200, 403], 'a dry run of a read token')
    else isError(t, reply, 403, `a read token: ${method} ${path}`)
  }
  for (const path of ['/api/projects', web, `${web}/bundles/en`, `${web}/bundles/en/common`]) {
    t.equal((await server.get(path, reader)).status, 200, `a read token reads ${path}`)
  }
  t.notOk((await server.model(acme.key, web, 'en', 'common')).has('n'), 'nothing of it was written')
})
