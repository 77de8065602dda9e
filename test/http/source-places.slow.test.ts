/** Every route writes a new key of a translation to the place of the key in the source. */
import i18next from 'i18next'
import t from 'tap'
import { type Organization, openWeb, type Reply, type Server, segment } from '../contract/server.ts'

/** Arrays, arrays of objects, names with dots, sentences, a key beside its own prefix. */
const SOURCE = {
  steps: ['One', 'Two', 'Three'],
  cards: [
    { title: 'First', items: ['a', 'b'] },
    { title: 'Second', count_one: '{{count}} card', count_other: '{{count}} cards' },
  ],
  'index.html': 'Start page',
  v: { '1.0': 'one point oh', '1.1': { note: 'one point one' } },
  'Hello. World': 'A sentence',
  'Read more... ': { now: 'Now' },
}

let server: Server
let acme: Organization
let count = 0

t.before(async () => {
  ;({ server, acme } = await openWeb(t))
})

interface Project {
  call: (method: string, path: string, body?: unknown) => Promise<Reply>
  read: (language: string) => Promise<unknown>
}

async function project(source: unknown = SOURCE, body: object = {}): Promise<Project> {
  const slug = `places-${count++}`
  const call = (method: string, path: string, body?: unknown) =>
    server.call(method, `/api/projects/${slug}${path}`, { key: acme.key, ...(body !== undefined && { body }) })
  await server.call('POST', '/api/projects', {
    key: acme.key,
    body: { slug, name: slug, sourceLanguage: 'en', ...body },
  })
  await call('PUT', '/bundles/en/common', source)
  return { call, read: async language => (await call('GET', `/bundles/${language}/common`)).json }
}

const put = ({ call }: Project, key: string, value: unknown) =>
  call('PUT', `/bundles/de/common/${segment(key)}`, { value })

/** Keys, and the whole file of a language that has this key alone. */
const KEYS: [key: string, file: unknown][] = [
  ['steps.0', { steps: ['x'] }],
  ['steps.2', { steps: ['', '', 'x'] }],
  ['cards.0.title', { cards: [{ title: 'x' }] }],
  ['cards.0.items.1', { cards: [{ items: ['', 'x'] }] }],
  ['cards.1.title', { cards: [{ title: '', items: ['', ''] }, { title: 'x' }] }],
  ['cards.1.count_one', { cards: [{ title: '', items: ['', ''] }, { count_one: 'x' }] }],
  ['index.html', { 'index.html': 'x' }],
  ['v.1.0', { v: { '1.0': 'x' } }],
  ['v.1.1.note', { v: { '1.1': { note: 'x' } } }],
  ['v.1.1.more', { v: { '1.1': { more: 'x' } } }],
  ['Hello. World', { 'Hello. World': 'x' }],
  ['Read more... .now', { 'Read more... ': { now: 'x' } }],
  // The source lacks these items, so they begin no array.
  ['steps.7', { 'steps.7': 'x' }],
]

/** A body that nests a key wherever its name has a dot. */
const nested = (key: string): object =>
  key.split('.').reduceRight<unknown>((below, name) => ({ [name]: below }), 'x') as object

const WAYS: [name: string, write: (web: Project, key: string) => Promise<Reply>, keys?: RegExp][] = [
  ['PUT of one key', (web, key) => put(web, key, 'x')],
  ['saveMissing', ({ call }, key) => call('POST', '/bundles/de/common', { [key]: 'x' })],
  ['PUT of a namespace', ({ call }, key) => call('PUT', '/bundles/de/common', { [key]: 'x' })],
  ['an overwriting PUT', ({ call }, key) => call('PUT', '/bundles/de/common?overwrite=true', { [key]: 'x' })],
  ['a pruning PUT', ({ call }, key) => call('PUT', '/bundles/de/common?prune=true', { [key]: 'x' })],
  ['a nested body', ({ call }, key) => call('PUT', '/bundles/de/common', nested(key)), /^(?!Hello|Read|steps.7)/],
  ['a push of many', ({ call }, key) => call('POST', '/push', { bundles: { de: { common: { [key]: 'x' } } } })],
  [
    'changes by a plan',
    ({ call }, key) => call('POST', '/changes', { set: [{ language: 'de', namespace: 'common', key, value: 'x' }] }),
  ],
  [
    'a rename',
    async (web, key) => {
      const plural = key.endsWith('_one')
      const [base, from] = plural ? [key.slice(0, -'_one'.length), 'Old key_one'] : [key, 'Old key']
      await put(web, from, 'x')
      return web.call('POST', '/rename-key', { namespace: 'common', from: 'Old key', to: base })
    },
    /7$/,
  ],
]

t.test('writes a new key of a translation to its place in the source', async t => {
  for (const [way, write, keys = /^/] of WAYS) {
    for (const [key, file] of KEYS.filter(([key]) => keys.test(key))) {
      const web = await project()
      const reply = await write(web, key)
      t.equal(reply.status, 200, `${way}, ${key}: ${reply.text}`)
      t.strictSame(await web.read('de'), file, `${way}, ${key}`)
    }
  }
})

t.test('writes a file of the same shape for the same keys in any order, which i18next reads alike', async t => {
  const resources = {
    cards: [
      { title: 'E', items: ['a', 'b'] },
      { title: 'Z', count_one: '1', count_other: 'n' },
    ],
  }
  const texts: [string, string][] = [
    ['cards.1.count_other', 'n'],
    ['cards.1.count_one', '1'],
    ['cards.0.items.1', 'b'],
    ['cards.1.title', 'Z'],
    ['cards.0.title', 'E'],
    ['cards.0.items.0', 'a'],
  ]
  for (const order of [texts, texts.toReversed()]) {
    const web = await project()
    for (const [key, value] of order) await put(web, key, value)
    const de = (await web.read('de')) as Record<string, unknown>
    t.strictSame(de, resources)
    const instance = i18next.createInstance()
    await instance.init({ lng: 'de', fallbackLng: false, resources: { de: { translation: de } } })
    const cards = instance.t('cards', { returnObjects: true }) as unknown as { title: string; items: string[] }[]
    t.strictSame(
      cards.map(({ title }) => title),
      ['E', 'Z'],
    )
    t.equal(instance.t('cards.1.count', { count: 1 }), '1')
    t.equal(instance.t('cards.0.items.1'), 'b')
  }
})

t.test('writes names with dots that i18next finds with another keySeparator', async t => {
  const web = await project()
  await put(web, 'index.html', 'Startseite')
  await put(web, 'v.1.0', 'eins null')
  const instance = i18next.createInstance()
  const resources = { de: { translation: (await web.read('de')) as object } }
  await instance.init({ lng: 'de', fallbackLng: false, keySeparator: '::', nsSeparator: false, resources })
  t.equal(instance.t('index.html'), 'Startseite')
  t.equal(instance.t('v::1.0'), 'eins null')
})

t.test('turns an object of items into an array when a push has the array, and not the reverse', async t => {
  const web = await project({ other: 'x' })
  const write = (body: object) => web.call('PUT', '/bundles/de/common', body)
  await put(web, 'steps.1', 'zwei')
  await put(web, 'steps.0', 'eins')
  t.strictSame(await web.read('de'), { steps: { 0: 'eins', 1: 'zwei' } }, 'the source lacks the array')
  const dry = await web.call('PUT', '/bundles/de/common?dryRun=true', { steps: ['', '', 'drei'] })
  t.match(dry.json, { added: 1, updated: 2, unchanged: 0 })
  const reply = await write({ steps: ['', '', 'drei'] })
  t.match(reply.json, { added: 1, updated: 2, unchanged: 0, skipped: 0 })
  t.strictSame(await web.read('de'), { steps: ['eins', 'zwei', 'drei'] })
  await write({ steps: { 0: 'eins', 1: 'zwei' } })
  t.strictSame(await web.read('de'), { steps: ['eins', 'zwei', 'drei'] })

  await write({ own: { 0: 'a', title: 'b' } })
  await write({ own: ['a'] })
  t.match(await web.read('de'), { own: { 0: 'a', title: 'b' } }, 'an object of other members stays')
})

t.test('writes an array to the source and one of its items to another language in one push', async t => {
  const web = await project({ other: 'x' })
  const bundles = { de: { common: { 'list.1': 'zwei' } }, en: { common: { list: ['one', 'two'] } } }
  t.equal((await web.call('POST', '/push', { bundles })).status, 200)
  t.strictSame(await web.read('de'), { list: ['', 'zwei'] })
})

t.test('restores keys to their current place in the source', async t => {
  const web = await project({ other: 'x' })
  await put(web, 'list.0', 'eins')
  await web.call('DELETE', '/bundles/de/common/list.0')
  const [deleted, written] = (await web.call('GET', '/history?limit=2')).json.revisions
  await web.call('PUT', '/bundles/en/common', { list: ['one'] })
  t.equal((await web.call('POST', '/revert', { revision: deleted.revision })).status, 200)
  t.strictSame(await web.read('de'), { list: ['eins'] }, 'by an undo')
  await web.call('DELETE', '/bundles/de/common/list.0')
  const scope = { language: 'de', namespace: 'common', key: 'list.0' }
  t.equal((await web.call('POST', '/restore', { ...scope, at: written.revision })).status, 200)
  t.strictSame(await web.read('de'), { list: ['eins'] }, 'by a restore')
})

t.test('writes the same places in all languages after a rename and a change of format', async t => {
  const web = await project({ a: 'text', 'a.b': 'beside' })
  await put(web, 'a.b', 'daneben')
  t.strictSame(await web.read('de'), { 'a.b': 'daneben' })
  await web.call('POST', '/rename-key', { namespace: 'common', from: 'a.b', to: 'a.c' })
  t.strictSame(await web.read('de'), { 'a.c': 'daneben' })
  await web.call('PATCH', '', { defaultFormat: 'i18next-json-flat' })
  await web.call('PATCH', '', { defaultFormat: 'i18next-json' })
  t.strictSame(await web.read('en'), { a: 'text', 'a.c': 'beside' })
  t.strictSame(await web.read('de'), { 'a.c': 'daneben' })
})
