/** What is known about a key, in one request: equal to the answers of the routes that it is composed of. */
// It restores what it changes, so it shares its process (test/groups.mjs).
import t from 'tap'
import { TranslationMemory } from '../../src/memory/translation-memory.ts'
import { eventually } from '../eventually.ts'
import { isError, openScene, type Scene, segment } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const url = (slug: string, language: string, key: string, namespace = 'common') =>
  `/api/projects/${slug}/context/${language}/${namespace}/${segment(key)}`

/** The answer, with its matches. */
async function ask(path: string, key = scene.acme.key) {
  let json: Record<string, unknown> & { memory: { matches: object[]; complete: boolean } }
  await eventually(async () => {
    const reply = await scene.server.get(path, key)
    t.equal(reply.status, 200, reply.text)
    json = reply.json
    return json.memory !== null
  })
  return json!
}

async function furnish(slug: string): Promise<string> {
  const { server, acme } = scene
  const web = await server.project(acme.key, slug)
  const must = (method: string, path: string, body: object) => server.must(method, path, { key: acme.key, body })
  await must('PUT', `${web}/bundles/en/common`, {
    pay: 'Pay the cart now',
    again: 'Pay the cart soon',
    item_one: '{{count}} item',
    item_other: '{{count}} items',
    plain: 'Nothing special',
  })
  await must('PUT', `${web}/bundles/de/common`, {
    pay: 'Einkaufswagen bezahlen',
    again: 'Warenkorb bald bezahlen',
    item_one: '{{count}} Ding',
    extra: 'Übrig',
  })
  await must('PUT', `${web}/notes/common/pay`, { note: 'A button.', max: 12, tags: ['cart'], refs: ['a.ts:1'] })
  const translations = { de: { use: ['Warenkorb'], avoid: ['Einkaufswagen'] } }
  await must('PUT', `${web}/glossary`, { terms: [{ term: 'cart', note: 'Where products are.', translations }] })
  await must('PUT', `${web}/bundles/en/common/pay`, { value: 'Pay the cart at once' })
  return web
}

t.test('equals the answers of the routes for status, notes, comments, glossary and memory', async t => {
  const { server, acme } = scene
  const web = await furnish('web')
  const rows = (await server.get(`${web}/status/keys?language=de&is=stale,problems`, acme.key)).json.keys
  const row = rows.find(({ key }: { key: string }) => key === 'pay')
  const note = (await server.get(`${web}/notes/common/pay`, acme.key)).json
  await server.must('POST', `${web}/comments/common/pay`, { key: acme.key, body: { text: 'A verb?' } })
  const thread = (await server.get(`${web}/comments/common/pay`, acme.key)).json
  await server.must('POST', `${web}/suggestions/de/common/pay`, { key: acme.key, body: { value: 'Jetzt zahlen' } })
  await server.must('POST', `${web}/suggestions/de/common/again`, { key: acme.key, body: { value: 'Bald zahlen' } })
  const { suggestions } = (await server.get(`${web}/suggestions?language=de&namespace=common&key=pay`, acme.key)).json
  t.match(suggestions, [{ key: 'pay', message: 'Jetzt zahlen', fits: true }])
  const term = { term: 'cart', note: 'Where products are.', use: ['Warenkorb'], avoid: ['Einkaufswagen'] }
  const { memory, ...rest } = await ask(url('web', 'de', 'pay'))
  const marks = { approved: null, machine: null }
  const beside = { comments: thread.comments, suggestions, terms: [term] }
  t.strictSame(rest, { language: 'de', ...row, ...note, ...marks, ...beside })
  const keys = ['again']
  await server.must('POST', `${web}/approve`, {
    key: acme.key,
    body: { language: 'de', namespace: 'common', keys },
  })
  const approved = (await server.get(`${web}/status/keys?language=de&is=approved`, acme.key)).json.keys
  t.match(approved, [{ key: 'again', approved: { of: /^[0-9a-f]{16}$/ } }])
  t.strictSame((await ask(url('web', 'de', 'again'))).approved, approved[0].approved)
  t.match(memory.matches, [{ approved: false, machine: false }])
  t.match((await ask(url('web', 'de', 'pay'))).memory.matches, [{ approved: true, machine: false }])
  t.match(thread.comments, [{ text: 'A verb?' }])
  t.match(row, { is: ['translated', 'stale', 'problems'], sourceThen: 'Pay the cart now' })
  t.match(rest.problems, [{ kind: 'term' }, { kind: 'avoid' }, { kind: 'length', max: 12 }])
  t.match(memory, { matches: [{ key: 'again', message: 'Warenkorb bald bezahlen' }], complete: true })
  t.equal(memory.matches.length, 1, 'without the pair of the key itself')
})

t.test('shows plurals, missing and extra keys, and the source language', async t => {
  const plural = { cardinal: { one: '{{count}} item', other: '{{count}} items' } }
  await furnish('cases')
  const form = await ask(url('cases', 'de', 'item_one'))
  t.match(form, { key: 'item', is: ['incomplete'], source: plural, forms: ['other'], terms: [] })
  t.match(await ask(url('cases', 'de', 'plain')), { is: ['missing'], source: 'Nothing special', message: null })
  const extra = await ask(url('cases', 'de', 'extra'))
  t.match(extra, { is: ['extra'], source: null, message: 'Übrig', terms: [], memory: { matches: [] } })
  const own = await ask(url('cases', 'en', 'pay'))
  t.match(own, { source: 'Pay the cart at once', message: 'Pay the cart at once', terms: [{ term: 'cart' }] })
  t.strictSame(own.memory, { matches: [], complete: true })
  t.notOk('sourceThen' in own || 'problems' in own)
})

t.test('answers 404 as the route of the key does', async t => {
  const { server, acme } = scene
  await furnish('lost')
  for (const [language, namespace, key] of [
    ['de', 'common', 'none'],
    ['de', 'none', 'pay'],
    ['fr', 'common', 'pay'],
    ['de', 'common', '__proto__'],
  ] as const) {
    const reply = await server.get(url('lost', language, key, namespace), acme.key)
    isError(t, reply, 404, `${language} ${namespace} ${key}`)
    const one = await server.get(`/api/projects/lost/bundles/${language}/${namespace}/${key}`, acme.key)
    t.equal(reply.json.error, one.json.error)
  }
  isError(t, await server.get(url('none', 'de', 'pay'), acme.key), 404, 'no project')
  isError(t, await server.get(url('lost', 'x_y', 'pay'), acme.key), 400, 'no language tag')
  isError(t, await server.get(url('lost', 'de', 'pay'), scene.other.key), 404, 'another organization')
})

t.test('finds similar texts of reached projects only, and has an entity tag', async t => {
  const { server, acme } = scene
  await furnish('mine')
  const other = await server.project(acme.key, 'hidden')
  await server.must('PUT', `${other}/bundles/en/common`, { key: acme.key, body: { x: 'Pay the cart at once' } })
  await server.must('PUT', `${other}/bundles/de/common`, { key: acme.key, body: { x: 'Verborgen' } })
  const { key } = await server.mint(acme.owner, 'mine only', 'read', ['mine'])
  const isHidden = ({ memory }: Awaited<ReturnType<typeof ask>>) => JSON.stringify(memory).includes('Verborgen')
  t.ok(isHidden(await ask(url('mine', 'de', 'pay'))))
  t.notOk(isHidden(await ask(url('mine', 'de', 'pay'), key)))
  const { headers } = await server.get(url('mine', 'de', 'pay'), key)
  const again = await server.call('GET', url('mine', 'de', 'pay'), {
    key,
    headers: { 'if-none-match': headers.etag! },
  })
  t.equal(again.status, 304)
  t.equal(headers['cache-control'], 'private, no-cache')
})

t.test('answers without similar texts while the memory is being built', async t => {
  const { server, acme } = scene
  await furnish('slow')
  const { read } = TranslationMemory.prototype
  TranslationMemory.prototype.read = () => new Promise(() => {})
  t.teardown(() => {
    TranslationMemory.prototype.read = read
  })
  const { status, json } = await server.get(url('slow', 'de', 'pay'), acme.key)
  t.equal(status, 200)
  t.match(json, {
    key: 'pay',
    suggestions: [],
    memory: null,
    notice: /memory is being built/,
    terms: [{ term: 'cart' }],
  })
})
