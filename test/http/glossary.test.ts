/** Glossaries of the organization and of projects over HTTP. */
import t from 'tap'
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
