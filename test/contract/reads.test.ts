/** Bundle reads: the bytes and their git id, unknown names, case variants, the whole language and its narrowing. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually, hashObject, isError, openWeb } from './server.ts'

const EMPTY_ID = '0967ef424bce6791893e9a57bb952f80fd536e93'

const { server, acme, web } = await openWeb(t)
const common = { title: 'Hello', nav: { home: 'Home' }, item_one: 'one', item_other: 'many', friend_male: 'he' }
await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: common })
await server.must('PUT', `${web}/bundles/en/home`, { key: acme.key, body: { title: 'Home', 'é😀': 'ü' } })
await server.must('PUT', `${web}/bundles/de/common`, { key: acme.key, body: { title: 'Hallo' } })

const get = (path: string, headers: Record<string, string> = {}) => server.get(web + path, acme.key, headers)

t.test('returns the canonical file of a namespace, byte for byte', async t => {
  const reply = await get('/bundles/en/common')
  t.equal(reply.status, 200)
  t.match(reply.headers['content-type'], /^application\/json/)
  t.equal(
    reply.text,
    '{\n  "friend_male": "he",\n  "item_one": "one",\n  "item_other": "many",\n  "nav": {\n    "home": "Home"\n  },\n  "title": "Hello"\n}\n',
  )
  t.equal(reply.headers.etag, `W/"${hashObject(reply.bytes)}"`)
  const file = join(server.repository(acme.id), 'web/locales/en/common.json')
  const sameIn = (read: () => string) => () => {
    try {
      return read() === reply.text
    } catch {
      return false
    }
  }
  t.ok(await eventually(sameIn(() => readFileSync(file, 'utf8'))), 'the file in the work tree')
  const inGit = () => server.git(acme.id, 'show', 'HEAD:web/locales/en/common.json')
  t.ok(await eventually(sameIn(inGit)), 'the file in git')
})

t.test('uses the id of git hash-object as ETag of a bundle', async t => {
  const tricky = {
    'tab\t"\\/': '\u2028\u2029\u007f\b\f',
    é: 'é',
    'e\u0301': '😀',
    '': undefined,
    long: 'x'.repeat(70_000),
  }
  await server.must('PUT', `${web}/bundles/en/tricky`, { key: acme.key, body: tricky })
  for (const path of ['/bundles/en/tricky', '/bundles/en/home', '/bundles/de/common', '/bundles/en/none']) {
    const reply = await get(path)
    t.equal(reply.headers.etag, `W/"${hashObject(reply.bytes)}"`, path)
  }
  t.match((await get('/bundles/en/tricky')).text, '\u2028\u2029\u007f\\b\\f', 'only the escapes of JSON itself')
})

t.test('returns the same bytes and ETag with compression', async t => {
  const plain = await get('/bundles/en/tricky')
  const response = await fetch(`${server.base}${web}/bundles/en/tricky`, {
    headers: { 'x-api-key': acme.key, 'accept-encoding': 'br, gzip' },
  })
  t.equal(await response.text(), plain.text)
  t.equal(response.headers.get('etag'), plain.headers.etag)
})

t.test('returns an empty object for an unknown namespace', async t => {
  for (const path of [
    '/bundles/en/none',
    '/bundles/de/home',
    '/bundles/en/Common',
    '/bundles/en/_x',
    '/bundles/en/constructors',
  ]) {
    const reply = await get(path)
    t.equal(reply.status, 200, path)
    t.equal(reply.text, '{}\n')
    t.equal(reply.headers.etag, `W/"${EMPTY_ID}"`)
    const again = await get(path, { 'if-none-match': `W/"${EMPTY_ID}"` })
    t.equal(again.status, 304, `${path} 304`)
    t.equal(again.bytes.length, 0)
  }
  const manifest = await get('')
  t.notOk(manifest.json.namespaces.includes('none'), 'reading creates nothing')
})

t.test('returns 404 for unknown projects and languages', async t => {
  for (const path of [
    '/bundles/fr',
    '/bundles/fr/common',
    '/bundles/EN',
    '/bundles/EN/common',
    '/bundles/De/common',
    '/bundles/en-US/common',
  ]) {
    isError(t, await get(path), 404, path)
  }
  for (const path of ['', '/bundles/en', '/bundles/en/common']) {
    isError(t, await server.get(`/api/projects/none${path}`, acme.key), 404, `unknown project ${path}`)
    isError(t, await server.get(`/api/projects/WEB${path}`, acme.key), 404, `a case variant of a project ${path}`)
  }
})

t.test('returns 400 for invalid path segments', async t => {
  const namespaces = [
    '-x',
    '.x',
    'x.',
    '.',
    '%2e%2e',
    'a%2Fb',
    'common.json',
    'x.json',
    '__proto__',
    'constructor',
    'prototype',
  ]
  namespaces.push(
    'con',
    'NUL',
    'nul.txt',
    'com1',
    'Lpt9',
    'aux.x',
    '%C3%A4',
    'a%00',
    'a:b',
    'a@b',
    'n'.repeat(101),
    'a%0a',
    'a,b',
  )
  for (const namespace of namespaces) {
    const reply = await get(`/bundles/en/${namespace}`)
    if (namespace === '.') continue
    isError(t, reply, 400, `namespace ${namespace}`)
    isError(t, await server.post(`${web}/bundles/en/${namespace}`, acme.key, { a: 'x' }), 400, `POST ${namespace}`)
    isError(t, await server.put(`${web}/bundles/en/${namespace}`, acme.key, { a: 'x' }), 400, `PUT ${namespace}`)
    isError(
      t,
      await server.put(`${web}/bundles/en/${namespace}/k`, acme.key, { value: 'x' }),
      400,
      `PUT ${namespace}/k`,
    )
  }
  for (const language of [
    'e',
    'english',
    'en_US',
    'en-',
    '%2e%2e',
    'en.json',
    'x-pirate',
    '__proto__',
    'a%2Fb',
    'en%00',
    'cimode',
    'zh-CHS',
  ]) {
    isError(t, await get(`/bundles/${language}`), [400, 404], `language ${language}`)
    isError(t, await get(`/bundles/${language}/common`), [400, 404], `language ${language}/common`)
    isError(t, await server.post(`${web}/bundles/${language}/common`, acme.key, { a: 'x' }), 400, `POST ${language}`)
    isError(t, await server.put(`${web}/bundles/${language}/common`, acme.key, { a: 'x' }), 400, `PUT ${language}`)
    isError(
      t,
      await server.put(`${web}/bundles/${language}/common/k`, acme.key, { value: 'x' }),
      400,
      `PUT ${language}/k`,
    )
  }
  t.strictSame((await get('')).json.languages.sort(), ['de', 'en'], 'no request created a language')
})

t.test('accepts valid names of namespaces', async t => {
  const names = [
    'a',
    '0',
    '_',
    '_a',
    'A-b_c.d',
    'n'.repeat(100),
    'console',
    'com10',
    'null',
    'json',
    'common.jsonx',
    'a..b',
    'a-',
    'a_',
    'v1.0',
    'constructor_',
  ]
  for (const name of names) {
    t.equal((await server.put(`${web}/bundles/en/${name}`, acme.key, { k: name })).status, 200, name)
    t.strictSame((await get(`/bundles/en/${name}`)).json, { k: name })
  }
})

t.test('returns a whole language with one row for each key', async t => {
  const reply = await get('/bundles/en?namespace=common&namespace=home')
  t.equal(reply.status, 200)
  t.strictSame(Object.keys(reply.json).sort(), ['keys', 'language'])
  t.equal(reply.json.language, 'en')
  const rows = reply.json.keys.sort((a: { key: string }, b: { key: string }) =>
    a.key < b.key ? -1 : a.key > b.key ? 1 : 0,
  )
  const byNamespace = (namespace: string) => rows.filter((row: { namespace: string }) => row.namespace === namespace)
  t.strictSame(byNamespace('common'), [
    { key: 'friend_male', namespace: 'common', message: 'he' },
    { key: 'item', namespace: 'common', message: { cardinal: { one: 'one', other: 'many' } } },
    { key: 'nav.home', namespace: 'common', message: 'Home' },
    { key: 'title', namespace: 'common', message: 'Hello' },
  ])
  t.strictSame(byNamespace('home'), [
    { key: 'title', namespace: 'home', message: 'Home' },
    { key: 'é😀', namespace: 'home', message: 'ü' },
  ])
})

t.test('filters a language by namespace', async t => {
  const one = await get('/bundles/en?namespace=home')
  t.strictSame([...new Set(one.json.keys.map((row: { namespace: string }) => row.namespace))], ['home'])
  const twice = await get('/bundles/en?namespace=home&namespace=home')
  t.equal(twice.json?.keys.length, one.json.keys.length, 'a repeated name counts once')
  const whole = await get('/bundles/en')
  t.ok(whole.json.keys.length > one.json.keys.length)
  const etag = String(one.headers.etag)
  t.equal((await get('/bundles/en?namespace=home', { 'if-none-match': etag })).status, 304)
  isError(t, await get('/bundles/en?namespace=nowhere'), 404, 'unknown')
  isError(t, await get('/bundles/en?namespace=home&namespace=nowhere'), 404, 'unknown beside known')
  isError(t, await get('/bundles/en?namespace=Home'), 404, 'a case variant')
  for (const bad of ['..', '', 'a%2Fb', '__proto__', 'home.json', '%00']) {
    isError(t, await get(`/bundles/en?namespace=${bad}`), [400, 404], `namespace=${bad}`)
  }
})

t.test('returns an empty source language without a file', async t => {
  const bare = await server.project(acme.key, 'bare', 'sv')
  const reply = await server.get(`${bare}/bundles/sv`, acme.key)
  t.equal(reply.status, 200)
  t.strictSame(reply.json, { language: 'sv', keys: [] })
  t.match(reply.headers.etag, /^W\/"[0-9a-f]{40}"$/)
  t.equal((await server.get(`${bare}/bundles/sv/common`, acme.key)).text, '{}\n')
})

t.test('ignores unknown query parameters of reads', async t => {
  for (const path of ['', '/bundles/en', '/bundles/en/common']) {
    const plain = await get(path)
    const reply = await get(`${path}?v=1&cache=no&dryRun=true&__proto__=x&a%5Bb%5D=c&%zz`)
    const clean = await get(`${path}?v=1&cache=no&dryRun=true&__proto__=x&a%5Bb%5D=c`)
    t.equal(clean.status, 200, `${path}: ${clean.text.slice(0, 80)}`)
    t.equal(clean.text, plain.text)
    t.ok(reply.status < 500, 'a broken escape in the query breaks nothing')
  }
  t.equal((await server.get('/api/projects?organization=x&limit=1', acme.key)).status, 200)
})
