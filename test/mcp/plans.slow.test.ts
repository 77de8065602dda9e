/** Plans of agents: stale, repeated and refused ones, rights, and a feature's texts from the first to the undo. */
import t, { type Test } from 'tap'
import { openScene, type Scene } from '../http/server.ts'
import { Agent } from './agent.ts'

let scene: Scene
let agent: Agent

t.before(async () => {
  scene = await openScene(t)
  agent = new Agent(scene.server, scene.acme.key)
})

let count = 0

/** A project with texts in English and German. */
async function newProject(): Promise<string> {
  const { server, acme } = scene
  const slug = `p${count++}`
  const path = await server.project(acme.key, slug)
  await server.must('PUT', `${path}/bundles/en/common`, {
    key: acme.key,
    body: { a: 'One', b: 'Two', c: 'Hi {{name}}' },
  })
  await server.must('PUT', `${path}/bundles/de/common`, { key: acme.key, body: { a: 'Eins', b: 'Zwei' } })
  return slug
}

const text = (language: string, key: string, value: unknown) => ({ language, namespace: 'common', key, value })
const put = (slug: string, language: string, key: string, value: string) =>
  scene.server.must('PUT', `/api/projects/${slug}/bundles/${language}/common/${key}`, {
    ...{ key: scene.acme.key, body: { value } },
  })
const read = async (slug: string, language: string) =>
  (await scene.server.get(`/api/projects/${slug}/bundles/${language}/common`, scene.acme.key)).json
const treeOf = async (slug: string) => {
  await scene.server.sealed(scene.acme.id)
  return scene.server.git(scene.acme.id, 'rev-parse', `HEAD:${slug}`).trim()
}

t.test('refuses a stale plan and names its keys', async t => {
  const project = await newProject()
  const changes = {
    project,
    set: [text('de', 'a', 'x'), text('de', 'b', 'y')],
    delete: [{ namespace: 'common', key: 'c' }],
  }
  const { plan, keys } = await agent.call('plan', changes)
  t.strictSame(keys, [
    { namespace: 'common', key: 'a', updated: ['de'], before: { de: 'Eins' } },
    { namespace: 'common', key: 'b', updated: ['de'], before: { de: 'Zwei' } },
    { namespace: 'common', key: 'c', removed: ['en'], before: { en: 'Hi {{name}}' } },
  ])
  await put(project, 'en', 'b', 'another key of the same file')
  await put(project, 'de', 'b', 'Zwo')
  const stale = await agent.call('apply', { ...changes, plan })
  t.match(stale, { status: 409, error: /"b" in de\/common/ })
  t.notMatch(stale.error, /"a"|"c"/)
  t.match(await agent.call('apply', { ...changes, set: [text('de', 'a', 'z')], plan }), {
    error: /not those of the plan/,
  })
  t.match(await agent.call('apply', { ...changes, plan: 'x' }), { status: 400, error: /not the id of a plan/ })
  t.match(await read(project, 'de'), { a: 'Eins', b: 'Zwo' })
  const next = await agent.call('plan', changes)
  t.match(await agent.call('apply', { ...changes, plan: next.plan }), { counts: { updated: 2, removed: 1 } })
  t.strictSame([await read(project, 'de'), Object.keys(await read(project, 'en'))], [{ a: 'x', b: 'y' }, ['a', 'b']])
})

t.test('writes a plan once, whenever it is repeated', async t => {
  const project = await newProject()
  const changes = { project, set: [text('de', 'c', 'Hallo {{name}}'), text('de', 'a', 'Erstens')] }
  const { plan } = await agent.call('plan', changes)
  const answers = await Promise.all([1, 2, 3].map(() => agent.call('apply', { ...changes, plan })))
  const revisions = new Set(answers.map(({ revision }) => revision))
  t.equal(revisions.size, 1)
  t.strictSame(answers.filter(({ repeated }) => !repeated).length, 1)
  await put(project, 'de', 'a', 'Later')
  t.match(await agent.call('apply', { ...changes, plan }), { repeated: true, revision: [...revisions][0] })
  t.match(await read(project, 'de'), { a: 'Later' })
  t.match(await agent.call('get_key', { project, namespace: 'common', key: 'c', languages: ['de'] }), {
    languages: { de: { machine: { by: { name: 'ci' } } } },
  })
})

t.test('deletes, renames and writes many keys by a plan alone', async t => {
  const project = await newProject()
  const many = Array.from({ length: 21 }, (_, at) => text('en', `many${at}`, 'x'))
  for (const change of [
    { set: many },
    { delete: [{ namespace: 'common', key: 'a' }] },
    { rename: { namespace: 'common', from: 'a', to: 'z' } },
  ])
    t.match(await agent.call('apply', { project, ...change }), { error: /need a plan/ })
  t.match(await agent.call('apply', { project, set: many.slice(1) }), { counts: { added: 20 } })
  const empty = { project, set: many.slice(1), delete: [], rename: [] }
  t.match(await agent.call('apply', empty), { counts: { unchanged: 20 } }, 'empty lists')
  const deletion = { project, namespace: 'common', key: 'a' }
  const { plan, keys } = await agent.call('delete_key', deletion)
  t.strictSame(keys, [{ namespace: 'common', key: 'a', removed: ['de', 'en'], before: { de: 'Eins', en: 'One' } }])
  t.match(await read(project, 'en'), { a: 'One' })
  const deleted = await agent.call('delete_key', { ...deletion, plan })
  t.notOk('a' in (await read(project, 'en')))
  t.match(await agent.call('delete_key', { ...deletion, plan }), { repeated: true, revision: deleted.revision })
  const renaming = { project, namespace: 'common', from: 'b', to: 'list.b' }
  const planned = await agent.call('rename_key', renaming)
  await put(project, 'de', 'b', 'Zwo')
  t.match(await agent.call('rename_key', { ...renaming, plan: planned.plan }), { error: /"b" in de\/common/ })
  const again = await agent.call('rename_key', renaming)
  t.match(await agent.call('rename_key', { ...renaming, plan: again.plan }), { counts: { renamed: 2 } })
  t.match(await read(project, 'de'), { list: { b: 'Zwo' } })
  t.match(await agent.call('delete_key', { project, namespace: 'common', key: 'none' }), { status: 404 })
  const to = (from: string, to: string) => ({ namespace: 'common', from, to })
  const several = {
    ...{ project, rename: [to('many1', 'list.one'), to('many2', 'list.two')], set: [text('de', 'many3', 'y')] },
    delete: [{ namespace: 'common', key: 'many4' }],
  }
  const mixed = await agent.call('plan', several)
  t.strictSame(mixed.keys.slice(1, 3), [
    { namespace: 'common', key: 'many1', renamed: ['en'] },
    { namespace: 'common', key: 'many2', renamed: ['en'] },
  ])
  const done = await agent.call('apply', { ...several, plan: mixed.plan })
  t.match(done, { counts: { renamed: 2, added: 1, removed: 1 } })
  t.match(await read(project, 'en'), { list: { b: 'Two', one: 'x', two: 'x' } })
  t.match(await agent.call(done.undo.tool, done.undo.arguments), { skipped: [] })
  t.match(await read(project, 'en'), { many1: 'x', many2: 'x', many4: 'x' })
  t.match(await agent.call('plan', { project, rename: [to('many1', 'many2'), to('many2', 'many1')] }), {
    ...{ status: 400, error: /"many2" is renamed/ },
  })
})

t.test('guides by the words of a language without its region', async t => {
  const project = await newProject()
  const translations = { DE: { use: ['Warenkorb'] }, fr: { use: ['panier'] } }
  const { server, acme } = scene
  const body = { terms: [{ term: 'cart', translations }] }
  await server.must('PUT', `/api/projects/${project}/glossary`, { key: acme.key, body })
  const { glossary } = await agent.call('guide', { project, languages: ['de-AT'] })
  t.strictSame(glossary, [{ term: 'cart', translations: { DE: translations.DE } }])
})

t.test("adds a feature's texts, corrects one, and undoes all", async t => {
  const project = await newProject()
  const before = await treeOf(project)
  const languages = ['en', 'de', 'pl', 'ar', 'ja']
  const { plurals } = await agent.call('guide', { project, languages })
  const key = (key: string, textIn: (language: string) => unknown) => ({
    ...{ namespace: 'common', key, texts: Object.fromEntries(languages.map(one => [one, textIn(one)])) },
  })
  const items = (language: string) =>
    Object.fromEntries(Object.keys(plurals[language].cardinal).map(form => [form, `{{count}} ${language}`]))
  const lines = Array.from({ length: 11 }, (_, at) => key(`cart.line${at}`, language => `${language} ${at} {{name}}`))
  const set = [...lines, key('cart.items', items)]
  const wrong = set.map(one => (one.key === 'cart.line3' ? { ...one, texts: { ...one.texts, pl: 'bez' } } : one))
  const refused = await agent.call('plan', { project, set: wrong })
  t.match(refused, { plan: null, counts: { refused: 1, added: 59 } })
  t.match(refused.keys[0], { key: 'cart.line3', refused: ['pl'], reasons: { pl: 'the text lacks {{name}}.' } })
  t.match(await agent.call('apply', { project, set: wrong }), { status: 422, error: /pl\/common.*cart\.line3.*lacks/ })
  t.equal(await treeOf(project), before)
  const { plan } = await agent.call('plan', { project, set })
  const { revision, undo } = await agent.call('apply', { project, set, plan, message: 'Texts of the cart' })
  const status = await agent.call('status', { project })
  t.strictSame(
    status.languages.map((row: { language: string; machine: number }) => [row.language, row.machine]),
    [
      ['ar', 12],
      ['de', 12],
      ['en', undefined],
      ['ja', 12],
      ['pl', 12],
    ],
  )
  t.match((await agent.call('history', { project, limit: 1 })).revisions, [{ revision, subject: 'Texts of the cart' }])
  t.match(await agent.call(undo.tool, undo.arguments), { reverted: 60, skipped: [] })
  t.equal(await treeOf(project), before, 'nothing is left')
  t.match(await agent.call(undo.tool, undo.arguments), { revision: null })
})

t.test('holds each token to its rights', async t => {
  const { server, acme } = scene
  const [project, other] = [await newProject(), await newProject()]
  const tokenOf = async (body: object) =>
    new Agent(
      server,
      (await server.must('POST', '/api/tokens', { as: acme.owner, body: { name: 'agent', ...body } })).json.key,
    )
  const german = { project, set: [text('de', 'a', 'Agent')] }
  const deletion = { project, namespace: 'common', key: 'b' }
  for (const scope of ['read', 'add'] as const) {
    const reader = await tokenOf({ scope })
    t.match(await reader.call('find_texts', { project, text: 'one' }), { keys: [{ key: 'a' }] })
    for (const name of ['plan', 'apply']) t.match(await reader.call(name, german), { status: 403 }, `${scope} ${name}`)
    t.match(await reader.call('delete_key', deletion), { status: 403 })
    t.match(await reader.call('undo', { project, revisions: ['HEAD'] }), { error: /./ })
  }
  const narrow = await tokenOf({ projects: [project] })
  t.match(await narrow.call('status', {}), { projects: [{ slug: project }] })
  for (const [name, input] of [
    ['status', {}],
    ['guide', {}],
    ['find_texts', { text: 'x' }],
    ['get_key', { namespace: 'common', key: 'a' }],
    ['plan', { set: german.set }],
    ['apply', { set: german.set }],
    ['history', {}],
    ['translate', { languages: ['de'] }],
    ['undo', { revisions: ['HEAD'] }],
  ] as const)
    t.match(await narrow.call(name, { ...input, project: other }), { status: 404 }, `${name} of another project`)
  const french = await tokenOf({ rights: [{ languages: ['fr'], may: 'translate' }] })
  t.match(await french.call('plan', german), { status: 403, error: /"de"/ })
  t.match(await french.call('apply', { project, set: [text('fr', 'a', 'Un')] }), { counts: { added: 1 } })
  await suggestsOnly(t, project, await tokenOf({ scope: 'suggest' }))
  await suggestsOnly(t, await newProject(), await tokenOf({ rights: [{ languages: ['de'], may: 'suggest' }] }))
})

async function suggestsOnly(t: Test, project: string, proposer: Agent): Promise<void> {
  const before = await read(project, 'de')
  const changes = { project, set: [text('de', 'a', 'Agent'), text('de', 'c', 'Hallo {{name}}')] }
  const { plan, counts } = await proposer.call('plan', changes)
  t.strictSame(counts, { suggested: 2 })
  const { revision } = await proposer.call('apply', { ...changes, plan })
  t.match(await proposer.call('apply', { ...changes, plan }), { repeated: true, revision })
  t.strictSame(await read(project, 'de'), before)
  const listed = await scene.server.get(`/api/projects/${project}/suggestions?language=de`, scene.acme.key)
  t.match(listed.json.suggestions, [
    { key: 'a', message: 'Agent' },
    { key: 'c', message: 'Hallo {{name}}' },
  ])
  t.match(await proposer.call('apply', { project, set: [text('en', 'a', 'Uno')] }), { status: 403 })
  t.match(await proposer.call('apply', { project, set: [text('de', 'typo', 'x')] }), {
    ...{ status: 422, error: /"typo": "en" has no such key to translate\./ },
  })
  for (const one of [
    { delete: [{ namespace: 'common', key: 'a' }] },
    { rename: { namespace: 'common', from: 'a', to: 'z' } },
  ])
    t.match(await proposer.call('plan', { project, ...one }), { status: 403 })
  t.match(await read(project, 'en'), { a: 'One' })
}

t.test('suggests in a language with a review', async t => {
  const { server, acme } = scene
  const project = await newProject()
  await server.must('PATCH', `/api/projects/${project}`, {
    key: acme.key,
    body: { review: { de: { fourEyes: true } } },
  })
  const changes = { project, set: [text('de', 'a', 'Neu'), text('en', 'd', 'New')] }
  t.match(await agent.call('apply', changes), { counts: { suggested: 1, added: 1 } })
  t.match(await read(project, 'de'), { a: 'Eins' })
})
