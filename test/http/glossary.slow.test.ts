/** Glossaries of the organization and of projects over HTTP. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually, severalFolders } from '../contract/server.ts'
import { openScene, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const call = (method: string, path: string, body?: unknown, headers = {}) =>
  scene.server.call(method, path, { key: scene.acme.key, ...(body !== undefined && { body }), headers })
const must = (method: string, path: string, body?: unknown) =>
  scene.server.must(method, path, { key: scene.acme.key, ...(body !== undefined && { body }) })

const CART = { term: 'cart', translations: { de: { use: ['Warenkorb'], avoid: ['Einkaufswagen'] } } }

t.test('reads and replaces both glossaries, one commit for each write', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'web')
  for (const [path, file, subject] of [
    ['/api/glossary', 'glossary.json', "change the organization's glossary"],
    [`${web}/glossary`, 'web/glossary.json', 'web: change the glossary'],
  ] as const) {
    const empty = await must('GET', path)
    t.strictSame(empty.json, { terms: [] })
    const before = await server.commits(acme.id)
    const body = { terms: [CART, { term: 'Acme', keep: true, note: 'The company.', caseSensitive: true }] }
    const put = await must('PUT', path, body)
    t.strictSame(put.json, { terms: 2, added: 2, updated: 0, removed: 0, dryRun: false })
    const got = await must('GET', path)
    t.strictSame(got.json, {
      terms: [{ term: 'Acme', note: 'The company.', caseSensitive: true, keep: true }, CART],
    })
    t.equal(got.headers.etag, put.headers.etag)
    t.equal(await server.commits(acme.id), before + 1)
    t.equal(got.text, server.git(acme.id, 'show', `HEAD:${file}`), 'the file is the answer')
    t.equal((await call('GET', path, undefined, { 'if-none-match': got.headers.etag })).status, 304)
    await must('PUT', path, body)
    t.equal(await server.commits(acme.id), before + 1, 'equal terms are no commit')
    t.equal(server.git(acme.id, 'log', '-1', '--format=%s').trim(), `${subject}: add 2 terms`)
    const dry = await must('PUT', `${path}?dryRun=true&merge=true`, { terms: [{ term: 'cart' }, { term: 'pay' }] })
    t.strictSame(dry.json, { terms: 3, added: 1, updated: 1, removed: 0, dryRun: true })
    t.equal(dry.headers.etag, got.headers.etag)
    t.equal((await call('PUT', path, { terms: [] }, { 'if-match': empty.headers.etag })).status, 412)
    t.equal((await call('PUT', path, { terms: [] }, { 'if-none-match': '*' })).status, 412)
    const gone = await call('PUT', path, { terms: [] }, { 'if-match': got.headers.etag })
    t.match(gone, { status: 200, json: { terms: 0, removed: 2 }, headers: { etag: empty.headers.etag } })
    t.equal(await server.commits(acme.id), before + 2)
    t.equal(server.git(acme.id, 'ls-tree', 'HEAD', file), '', 'no empty file')
    const then = server.git(acme.id, 'rev-parse', 'HEAD~1').trim()
    t.equal((await must('GET', `${path}?at=${then}`)).json.terms.length, 2)
  }
})

t.test('refuses bad glossaries and names the culprit', async t => {
  const { server, acme } = scene
  const before = (await must('GET', '/api/glossary')).headers.etag
  const term = (more: object) => ({ terms: [{ term: 'cart', ...more }] })
  const words = (de: unknown) => term({ translations: { de } })
  const rows: [body: unknown, status: number, says: RegExp][] = [
    ['{"terms":', 400, /not valid JSON/],
    [[], 400, /must be a JSON object/],
    [{}, 400, /"terms" must be a list/],
    [{ terms: [], more: 1 }, 400, /not "more"/],
    ['{"__proto__":{},"terms":[]}', 400, /not "__proto__"/],
    [{ terms: ['cart'] }, 422, /Entry 1 of "terms" must be an object/],
    [{ terms: [{ note: 'x' }] }, 422, /Entry 1 of "terms" lacks "term"/],
    [{ terms: [{ term: '' }] }, 422, /"term" of entry 1 must have 1 to 200 characters/],
    [{ terms: [{ term: 'x'.repeat(2 ** 20) }] }, 422, /1 to 200 characters/],
    [{ terms: [{ term: 'a\u0000b' }] }, 422, /control characters/],
    [{ terms: [{ term: 'a\u202eb' }] }, 422, /direction marks/],
    [term({ keep: 'yes' }), 422, /"cart" does not fit: "keep" must be true or false/],
    [term({ note: 'ä'.repeat(2_049) }), 422, /"note" has more than 4096 bytes/],
    [term({ more: 1 }), 422, /unknown field "more"/],
    [term({ translations: [] }), 422, /"translations" must be an object/],
    [term({ translations: { 'no language': {} } }), 400, /no language/],
    [words(['Warenkorb']), 422, /"translations.de" must be an object/],
    [words({ use: 'Warenkorb' }), 422, /"translations.de.use" must be a list/],
    [words({ use: [7] }), 422, /"translations.de.use" must be a string/],
    [words({ use: ['a'], avoid: ['a'] }), 422, /both uses and avoids "a"/],
    [words({ use: Array.from({ length: 21 }, (_, n) => `w${n}`) }), 422, /more than 20 words/],
    [{ terms: [{ term: 'Cart' }, { term: 'cart' }] }, 422, /stand twice: "cart"/],
    [{ terms: Array.from({ length: 10_001 }, (_, n) => ({ term: `t${n}` })) }, 422, /at most 10,000 terms/],
  ]
  for (const [body, status, says] of rows) {
    const reply = await call('PUT', '/api/glossary', body)
    t.equal(reply.status, status, reply.text.slice(0, 200))
    t.match(reply.json.error, says)
  }
  t.equal((await must('GET', '/api/glossary')).headers.etag, before, 'nothing was written')
  t.equal((await server.call('PUT', '/api/glossary', { as: scene.member, body: { terms: [] } })).status, 403)
  t.equal((await server.call('PUT', '/api/glossary', { key: scene.reader, body: { terms: [] } })).status, 403)
  t.equal((await call('PUT', '/api/projects/nope/glossary', { terms: [] })).status, 404)
  const odd = { terms: ['__proto__', 'constructor', 'a.*b', '(', 'İstanbul'].map(term => ({ term })) }
  const both = [
    { term: 'May', caseSensitive: true },
    { term: 'may', caseSensitive: true },
  ]
  t.equal((await must('PUT', '/api/glossary', { terms: [...odd.terms, ...both] })).json.terms, 7)
  await must('PUT', '/api/glossary', { terms: [] })
  t.equal(acme.key !== '', true)
})

t.test('checks translations at once, and refuses writes on request', async t => {
  const { server, acme } = scene
  const shop = await server.project(acme.key, 'shop')
  await must('PUT', `${shop}/bundles/en/common`, {
    cart: 'Your carts',
    form_one: 'A cart',
    form_other: 'Carts',
    app: 'Acme pays',
  })
  await must('PUT', `${shop}/bundles/de/common`, { cart: 'Ihr Einkaufswagen', app: 'Firma zahlt' })
  const problems = async (key?: string) =>
    (await server.must('GET', `${shop}/status?language=de`, { key: key ?? acme.key })).json.languages[0].problems
  const limited = await server.mint(acme.owner, 'limited', 'read', ['shop'])
  t.equal(await problems(), 0)
  t.equal(await problems(limited.key), 0)
  const tag = (await must('GET', `${shop}/status`)).headers.etag
  await must('PUT', '/api/glossary', { terms: [CART, { term: 'Acme', keep: true }] })
  t.equal(await problems(), 2, "the organization's glossary")
  t.equal(await problems(limited.key), 2, 'also for a limited token')
  t.not((await must('GET', `${shop}/status`)).headers.etag, tag)
  const keys = (await must('GET', `${shop}/status/keys?language=de&is=problems`)).json.keys
  t.strictSame(
    keys.map(({ key, problems }: { key: string; problems: object[] }) => [key, problems]),
    [
      ['app', [{ kind: 'term', missing: ['Acme'], extra: [], terms: [{ term: 'Acme', use: ['Acme'] }] }]],
      [
        'cart',
        [
          { kind: 'term', missing: ['Warenkorb'], extra: [], terms: [{ term: 'cart', use: ['Warenkorb'] }] },
          { kind: 'avoid', missing: [], extra: ['Einkaufswagen'], terms: [{ term: 'cart', use: ['Warenkorb'] }] },
        ],
      ],
    ],
  )
  await must('PUT', `${shop}/glossary`, { terms: [{ term: 'Cart', translations: { de: { use: ['Einkaufswagen'] } } }] })
  t.equal(await problems(), 1, 'the term of the project wins')
  await must('PATCH', shop, { checks: { term: 'refuse' } })
  const write = (value: unknown) => call('PUT', `${shop}/bundles/de/common/form`, { value })
  const refused = await write({ one: 'Ein Korb', other: 'Einkaufswägen' })
  t.equal(refused.status, 422)
  t.match(refused.json.error, /check "term" refuses .*: "form_one"\. In the glossary "Cart" is "Einkaufswagen"\.$/)
  t.equal((await write({ one: 'Ein Einkaufswagen', other: 'Einkaufswagen' })).status, 200)
  t.equal((await call('PUT', `${shop}/bundles/de/common/app`, { value: 'Firma zahlt' })).status, 200, 'a stored text')
  await must('PATCH', shop, { checks: { term: 'off', avoid: 'off' } })
  t.equal(await problems(), 0)
  await must('PUT', '/api/glossary', { terms: [] })
})

t.test('imports and exports CSV and TBX', async t => {
  const { server, acme } = scene
  const path = `${await server.project(acme.key, 'files')}/glossary`
  const send = (format: string, body: string, type: string, query = '') =>
    call('PUT', `${path}.${format}${query}`, body, { 'content-type': type })
  const [csv, tbx] = ['text/csv', 'application/x-tbx+xml']
  const body = {
    terms: [
      CART,
      { term: 'a "b", c', note: 'Two\nlines', keep: true },
      { term: 'x', translations: { ar: { use: ['سلة', 'عربة|x'] } } },
    ],
  }
  await must('PUT', path, body)
  const { json, headers } = await must('GET', path)
  for (const [format, type] of [
    ['csv', csv],
    ['tbx', tbx],
  ] as const) {
    const file = await must('GET', `${path}.${format}`)
    t.match(file.headers, {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="files-glossary.${format}"`,
      etag: headers.etag,
    })
    await must('PUT', path, { terms: [] })
    t.match(await send(format, file.text, type), {
      status: 200,
      json: { terms: 3, added: 3 },
      headers: { etag: headers.etag },
    })
    t.strictSame((await must('GET', path)).json, json, format)
  }
  t.match((await send('csv', 'term\r\nnew\r\n', csv, '?merge=true')).json, {
    terms: 4,
    added: 1,
    updated: 0,
    removed: 0,
  })
  t.equal((await send('csv', 'term\nnew', 'application/json')).status, 415)
  t.equal((await send('csv', 'term\nnew', `${csv}; charset=latin1`)).status, 415)
  t.match(await send('csv', 'term,keep\nnew,maybe', csv), { status: 422, json: { error: /Line 2 of the CSV: "keep"/ } })
  t.match(await send('tbx', '<!DOCTYPE tbx [<!ENTITY x "y">]><tbx/>', tbx), {
    status: 422,
    json: { error: /Line 1, column 1 of the XML: a document type/ },
  })
  t.match(await send('tbx', '', tbx), { status: 400, json: { error: `The body is empty: send ${tbx}.` } })
  t.match(await call('PUT', `${path}.csv`, 'term\n', { 'content-type': csv, 'if-match': headers.etag }), {
    status: 412,
  })
})

t.test('follows the project through undo, restore and deletion', async t => {
  const { server, acme } = scene
  const path = await server.project(acme.key, 'life')
  const terms = async () => (await must('GET', `${path}/glossary`)).json.terms.map(({ term }: { term: string }) => term)
  const newest = () => server.newest(acme.id)
  await must('PUT', `${path}/bundles/en/common`, { a: 'x' })
  const without = await newest()
  await must('PUT', `${path}/glossary`, { terms: [{ term: 'one' }] })
  const one = await newest()
  await must('POST', `${path}/revert`, { revision: one })
  t.strictSame(await terms(), [], 'an undo')
  const undone = await newest()
  await must('POST', `${path}/revert`, { revision: undone })
  t.strictSame(await terms(), ['one'], 'the undo of the undo')
  await must('PUT', `${path}/glossary`, { terms: [{ term: 'two' }] })
  await must('POST', `${path}/revert`, { revision: one })
  t.strictSame(await terms(), ['two'], 'a glossary that changed since stays')
  await must('POST', `${path}/restore`, { at: one })
  t.strictSame(await terms(), ['one'], 'a restore')
  await must('POST', `${path}/restore`, { at: without, language: 'en' })
  t.strictSame(await terms(), ['one'], 'a restore of a language')
  const last = await newest()
  await must('DELETE', path)
  await server.newest(acme.id)
  t.equal(server.git(acme.id, 'ls-tree', '-r', '--name-only', 'HEAD', 'life/'), '')
  await must('POST', `${path}/restore`, { at: last })
  t.strictSame(await terms(), ['one'], 'a restore of the project')
})

t.test('checks an external edit of both files, and merges it term by term', { skip: severalFolders }, async t => {
  const { server, acme } = scene
  const project = await server.project(acme.key, 'edited')
  for (const [path, name] of [
    ['/api/glossary', 'glossary.json'],
    [`${project}/glossary`, 'edited/glossary.json'],
  ] as const) {
    const file = join(server.repository(acme.id), name)
    const terms = async () => (await must('GET', path)).json.terms.map(({ term }: { term: string }) => term)
    const health = async () => (await server.get('/api/health', acme.key)).json
    const clean = () => server.git(acme.id, 'status', '--porcelain', name) === ''
    writeFileSync(file, '{"terms":[{"term":"b","note":""},{"term":"a"}]}')
    await eventually(async () => (await terms()).length === 2)
    t.strictSame(await terms(), ['a', 'b'])
    await server.newest(acme.id)
    await eventually(clean)
    t.match(server.git(acme.id, 'show', `HEAD:${name}`), /^\{\n {2}"terms": \[\n {4}\{\n {6}"term": "a"/)
    writeFileSync(file, '{"terms":[{"term":"a"},{"term":"A"}]}')
    await eventually(async () => (await health()).problems === 1)
    t.match(await health(), { files: [{ path: name, error: /These terms stand twice: "A"/ }] })
    t.strictSame(await terms(), ['a', 'b'])
    writeFileSync(file, '{"terms":[]}')
    await eventually(async () => (await terms()).length === 0)
    await eventually(async () => (await health()).problems === 0)
  }
})
