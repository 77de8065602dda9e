/** The checks of a project over HTTP: their levels, the problems of the status, and the refusals of each write. */
import t from 'tap'
import { CHECK_KINDS, type CheckKind, type CheckLevel } from '../../src/bundle/checks/check-settings.ts'
import { openScene, type Reply, type Scene } from './server.ts'
import { FAULTS } from './text-faults.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
  const languages = ['de', 'fr', 'pl', 'it']
  const all = (words: object) => Object.fromEntries(languages.map(language => [language, words]))
  const terms = [
    { term: 'cart', translations: all({ use: ['cart'] }) },
    { term: 'car', translations: all({ avoid: ['Wagen'] }) },
  ]
  await scene.server.must('PUT', '/api/glossary', { key: scene.acme.key, body: { terms } })
})

const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  scene.server.call(method, path, { key: scene.acme.key, ...(body !== undefined && { body }) })
const get = async (path: string) => (await scene.server.get(path, scene.acme.key)).json

/** A project with a source for the keys `text` and `form`. */
async function project(slug: string, source: string, max?: number): Promise<string> {
  await scene.server.project(scene.acme.key, slug)
  const web = `/api/projects/${slug}`
  const body = { text: source, form_one: source, form_other: source }
  await scene.server.must('PUT', `${web}/bundles/en/common`, { key: scene.acme.key, body })
  const note = { key: scene.acme.key, body: { max } }
  for (const key of max ? ['text', 'form'] : []) await scene.server.must('PUT', `${web}/notes/common/${key}`, note)
  return web
}

const setTo = (web: string, checks: Partial<Record<CheckKind, CheckLevel>>) =>
  scene.server.must('PATCH', web, { key: scene.acme.key, body: { checks } })
const newest = async (web: string) => (await get(`${web}/history?limit=1`)).revisions[0].revision

t.test('counts and refuses by the level of each check, on each route that writes texts', async t => {
  for (const kind of CHECK_KINDS) {
    const [source, fault] = FAULTS[kind]
    for (const level of ['off', 'warn', 'refuse'] as const) {
      const web = await project(`${kind}-${level}`, source, kind === 'length' ? 5 : undefined)
      await scene.server.must('PUT', `${web}/bundles/de/common`, { key: scene.acme.key, body: { text: fault } })
      const withFault = await newest(web)
      await call('PUT', `${web}/bundles/fr/common`, { form_one: source })
      await call('PUT', `${web}/bundles/de/common/text`, { value: source })
      const repaired = await newest(web)
      await setTo(web, { [kind]: level })
      const writes: [name: string, () => Promise<Reply>, key: string][] = [
        ['a dry run', () => call('PUT', `${web}/bundles/de/common?dryRun=true`, { form_other: fault }), 'form_other'],
        ['POST of a namespace', () => call('POST', `${web}/bundles/de/common`, { form_other: fault }), 'form_other'],
        ['PUT of a namespace', () => call('PUT', `${web}/bundles/pl/common`, { form_few: fault }), 'form_few'],
        ['PUT of a key', () => call('PUT', `${web}/bundles/fr/common/text`, { value: fault }), 'text'],
        ['a push of many', () => call('POST', `${web}/push`, { bundles: { it: { common: { text: fault } } } }), 'text'],
        ['an undo', () => call('POST', `${web}/revert`, { revision: repaired }), 'text'],
        ['a restore', () => call('POST', `${web}/restore`, { at: withFault, language: 'de' }), 'text'],
      ]
      for (const [name, write, key] of writes) {
        const { status, json } = await write()
        t.equal(status, level === 'refuse' ? 422 : 200, `${kind} ${level}: ${name}: ${JSON.stringify(json)}`)
        if (level !== 'refuse') continue
        t.match(json.error, new RegExp(`[a-z]{2}/common: the check "${kind}" refuses .*: "${key}"`), name)
      }
      const { keys } = await get(`${web}/status/keys?language=fr&is=problems`)
      const kinds = keys.flatMap((row: { problems: { kind: string }[] }) => row.problems.map(one => one.kind))
      t.strictSame(kinds, level === 'warn' ? [kind] : [], `${kind} ${level}`)
      t.equal(
        (await get(`${web}/status`)).languages.some((row: { problems: number }) => row.problems > 0),
        level === 'warn',
      )
    }
  }
})

t.test('refuses only texts that a write brings', async t => {
  const web = await project('brought', 'Total')
  await call('PUT', `${web}/bundles/de/common`, { text: 'Summe ', form_other: 'Summe ' })
  await setTo(web, { space: 'refuse' })
  const accepted: [name: string, method: string, path: string, body?: unknown][] = [
    ['another key', 'PUT', `${web}/bundles/de/common/own`, { value: 'Eigenes ' }],
    ['another form of a key with a fault', 'PUT', `${web}/bundles/de/common/form_one`, { value: 'Summe' }],
    ['an empty text', 'POST', `${web}/bundles/fr/common`, { text: '' }],
    ['a source text', 'PUT', `${web}/bundles/en/common/text`, { value: 'Total: ' }],
    ['a rename of a key with a fault', 'POST', `${web}/rename-key`, { namespace: 'common', from: 'form', to: 'sum' }],
    ['another format', 'PATCH', web, { defaultFormat: 'i18next-json-flat' }],
  ]
  for (const [name, method, path, body] of accepted) {
    const { status, text } = await call(method, path, body)
    t.equal(status, 200, `${name}: ${text}`)
  }
  const { status, json } = await call('PUT', `${web}/bundles/de/common`, { sum_one: 'x' })
  t.equal(status, 200, json.error)
})

t.test('accepts the texts of a deleted project that a restore brings back', async t => {
  const web = await project('deleted', 'Total')
  await call('PUT', `${web}/bundles/de/common`, { text: 'Summe ' })
  await setTo(web, { space: 'refuse' })
  const at = await newest(web)
  t.equal((await call('DELETE', web)).status, 204)
  t.equal((await call('POST', `${web}/restore`, { at })).status, 200)
  t.strictSame((await get(web)).checks, { space: 'refuse' })
})

t.test('stores levels that differ from the default, and undoes their change', async t => {
  const web = await project('levels', 'Total')
  t.notOk('checks' in (await get(web)))
  await setTo(web, { tag: 'off', space: 'refuse' })
  await setTo(web, { control: 'off', tag: 'warn' })
  t.strictSame((await get(web)).checks, { control: 'off', space: 'refuse' })
  const revision = await newest(web)
  await scene.server.must('POST', `${web}/revert`, { key: scene.acme.key, body: { revision } })
  t.strictSame((await get(web)).checks, { space: 'refuse', tag: 'off' })
  const { json } = await call('PATCH', web, { checks: { space: 'warn', tag: 'warn' } })
  t.notOk('checks' in json)
  for (const [checks, says] of [
    [{ spcae: 'off' }, /spcae/],
    [{ space: 'error' }, /space/],
    [null, /checks/],
    [['space'], /checks/],
  ] as const) {
    const { status, json } = await call('PATCH', web, { checks })
    t.equal(status, 400)
    t.match(json.error, says)
  }
})

t.test('follows the maximum of a note at once, in numbers and keys', async t => {
  const web = await project('maximum', 'Pay', 8)
  await call('PUT', `${web}/bundles/de/common`, { text: 'Bezahlen', form_one: 'Zahlen', form_other: 'Zahlen 👍🏽' })
  const problems = async () => {
    const { keys } = await get(`${web}/status/keys?language=de&is=problems`)
    const { languages } = await get(`${web}/status`)
    const counts = languages.map((row: { problems: number }) => row.problems)
    return [counts, ...keys.map((row: { key: string; problems: unknown }) => [row.key, row.problems])]
  }
  const found = { kind: 'length', missing: [], extra: [] }
  const note = (key: string, body: object) =>
    scene.server.must('PUT', `${web}/notes/common/${key}`, { key: scene.acme.key, body })
  t.strictSame(await problems(), [[0, 0]])
  await note('text', { max: 7 })
  t.strictSame(await problems(), [
    [1, 0],
    ['text', [{ ...found, length: 8, max: 7 }]],
  ])
  await note('text', { max: 8, note: 'Now it fits.' })
  t.strictSame(await problems(), [[0, 0]])
  await note('form', { max: 6 })
  t.match(await problems(), [
    [1, 0],
    ['form', [{ ...found, form: 'other', length: 8, max: 6 }]],
  ])
  const { json } = await call('PUT', `${web}/bundles/en/common/text`, { value: 'A source is not checked' })
  t.equal(json.key, 'text')
  t.strictSame((await problems())[0], [1, 0])
  await setTo(web, { length: 'refuse' })
  await call('DELETE', `${web}/bundles/de/common/text`)
  const keep = await newest(web)
  await note('text', { max: 100 })
  t.equal((await call('PUT', `${web}/bundles/de/common/text`, { value: 'Jetzt bezahlen' })).status, 200)
  await call('DELETE', `${web}/bundles/de/common/text`)
  await call('POST', `${web}/restore`, { at: keep })
  t.equal((await call('PUT', `${web}/bundles/de/common/text`, { value: 'Jetzt bezahlen' })).status, 422)
  await call('DELETE', `${web}/notes/common/text`)
  t.equal((await call('PUT', `${web}/bundles/de/common/text`, { value: 'Jetzt bezahlen' })).status, 200)
})

t.test('counts the bytes of a glossary once for a push of many bundles', async t => {
  const web = await project('glossary', 'One word7')
  await setTo(web, { term: 'refuse' })
  const terms = Array.from({ length: 7_000 }, (_, at) => ({ term: `word${at}`, note: 'x'.repeat(900), keep: true }))
  t.equal((await call('PUT', `${web}/glossary`, { terms })).status, 200)
  const bundles = (text: string) => Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`ns${at}`, { a: text }]))
  t.equal((await call('POST', `${web}/push`, { bundles: { en: bundles('One word7') } })).status, 200)
  const { status, json } = await call('POST', `${web}/push`, { bundles: { de: bundles('Ein word7') } })
  t.equal(status, 200, json.error)
  t.equal(json.added, 45)
})
