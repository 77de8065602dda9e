/** Dismissed problems over HTTP: what counts, what returns, what each write does to them. */
import t from 'tap'
import { CHECK_KINDS, type CheckKind } from '../../src/bundle/checks/check-settings.ts'
import { textDigest } from '../../src/bundle/text-digest.ts'
import { openScene, type Reply, runRows, type Scene } from './server.ts'
import { FAULTS } from './text-faults.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  scene.server.call(method, path, { key: scene.acme.key, ...(body !== undefined && { body }) })
const must = (method: string, path: string, body?: unknown) =>
  scene.server.must(method, path, { key: scene.acme.key, ...(body !== undefined && { body: body as object }) })
const get = async (path: string) => (await scene.server.get(path, scene.acme.key)).json

/** A project with a text `text` that has one problem. */
async function project(slug: string, [source, target]: [string, string] = FAULTS.space) {
  await scene.server.project(scene.acme.key, slug)
  const web = `/api/projects/${slug}`
  await must('PUT', `${web}/bundles/en/common`, { text: source, other: 'Other' })
  await must('PUT', `${web}/bundles/de/common`, { text: target, other: 'Anderes' })
  return web
}

const dismiss = (web: string, kind: CheckKind = 'space', more: object = {}) =>
  must('POST', `${web}/dismiss`, { language: 'de', namespace: 'common', key: 'text', kind, ...more })
/** The number of problems, and the kinds of dismissed ones by key. */
async function stateOf(web: string, language = 'de') {
  const { languages } = await get(`${web}/status`)
  const { problems } = languages.find((row: { language: string }) => row.language === language)
  const { keys } = await get(`${web}/status/keys?language=${language}&is=dismissed`)
  return {
    problems,
    dismissed: Object.fromEntries(
      keys.map((row: { key: string; dismissed: { kind: string }[] }) => [row.key, row.dismissed.map(one => one.kind)]),
    ),
  }
}
/** The file of marks of `de/common`. */
async function marksFile(web: string): Promise<object> {
  await scene.server.sealed(scene.acme.id)
  const slug = web.slice(web.lastIndexOf('/') + 1)
  return JSON.parse(scene.server.git(scene.acme.id, 'show', `HEAD:${slug}/marks/de/common.json`))
}
const newest = () => scene.server.newest(scene.acme.id)

t.test('each kind of problem counts no more, and bundles stay', async t => {
  const words = (value: object) => ({ de: value })
  const terms = [
    { term: 'cart', translations: words({ use: ['Einkaufswagen'] }) },
    { term: 'car', translations: words({ avoid: ['Wagen'] }) },
  ]
  for (const kind of CHECK_KINDS) {
    const web = await project(kind, FAULTS[kind])
    if (kind === 'term' || kind === 'avoid') await must('PUT', `${web}/glossary`, { terms })
    if (kind === 'length') await must('PUT', `${web}/notes/common/text`, { max: 5 })
    t.strictSame(await stateOf(web), { problems: 1, dismissed: {} }, kind)
    const { etag } = (await must('GET', `${web}/bundles/de/common`)).headers
    const reply = await dismiss(web, kind)
    t.match(reply.json, { key: 'text', kind, dismissed: true, revision: await newest() })
    t.strictSame(await stateOf(web), { problems: 0, dismissed: { text: [kind] } }, kind)
    t.strictSame((await get(`${web}/status/keys?language=de&is=problems`)).keys, [])
    t.strictSame((await get(`${web}/status/keys?language=de`)).keys, [], 'nothing to do')
    t.equal((await must('GET', `${web}/bundles/de/common`)).headers.etag, etag)
    const { subject } = (await get(`${web}/history?limit=1`)).revisions[0]
    t.equal(subject, `${kind} de/common: dismiss the ${kind} problem of text`)
    await dismiss(web, kind, { dismissed: false })
    t.strictSame(await stateOf(web), { problems: 1, dismissed: {} }, kind)
  }
})

t.test('a dismissal holds for the very texts', async t => {
  const web = await project('very')
  await dismiss(web)
  const put = (language: string, value: string) => must('PUT', `${web}/bundles/${language}/common/text`, { value })
  const steps: [language: string, text: string, isDismissed: boolean][] = [
    ['de', 'Summe :', false],
    ['de', 'Summe:', true],
    ['en', 'Sum: ', false],
    ['en', 'Total: ', true],
    ['en', 'Total:', true],
  ]
  for (const [language, text, isDismissed] of steps.slice(0, 4)) {
    await put(language, text)
    const dismissed = isDismissed ? { text: ['space'] } : {}
    t.strictSame(await stateOf(web), { problems: isDismissed ? 0 : 1, dismissed }, text)
  }
  await put('en', 'Total:')
  t.strictSame(await stateOf(web), { problems: 0, dismissed: {} }, 'without a problem')
})

t.test('repeated requests change nothing', async t => {
  const web = await project('repeated')
  await dismiss(web, 'space', { dismissed: false })
  const before = await newest()
  await dismiss(web, 'space', { dismissed: false })
  t.equal(await newest(), before)
  await dismiss(web)
  const after = await newest()
  t.not(after, before)
  t.equal((await dismiss(web)).json.revision, after)
  t.equal(await newest(), after)
})

t.test('a check that refuses texts accepts the dismissed one alone', async t => {
  const web = await project('refused')
  await dismiss(web)
  const withFault = await newest()
  await must('PUT', `${web}/bundles/de/common/text`, { value: 'Summe: ' })
  await must('PATCH', web, { checks: { space: 'refuse' } })
  const put = (value: string) => call('PUT', `${web}/bundles/de/common/text`, { value })
  t.equal((await put('Gesamt:')).status, 422)
  t.equal((await put('Summe:')).status, 200, 'the dismissed text')
  t.equal((await put('Summe: ')).status, 200)
  t.equal((await call('POST', `${web}/push`, { bundles: { de: { common: { text: 'Summe:' } } } })).status, 200)
  await put('Summe: ')
  t.equal((await call('POST', `${web}/restore`, { at: withFault, language: 'de' })).status, 200)
  await must('PUT', `${web}/bundles/en/common/text`, { value: 'Sum: ' })
  await put('Summe: ')
  t.equal((await put('Summe:')).status, 422, 'of another source')
})

t.test('refuses what it cannot dismiss', async t => {
  const web = await project('refusals')
  const { key } = scene.acme
  const good = { language: 'de', namespace: 'common', key: 'text', kind: 'space' }
  const row = (name: string, status: number, body: object, sending: object = {}) => {
    return { name, method: 'POST', path: `${web}/dismiss`, status, key, body: { ...good, ...body }, ...sending }
  }
  const before = await newest()
  await runRows(t, scene.server, [
    row('another kind', 422, { kind: 'tag' }),
    row('a text without a problem', 422, { key: 'other' }),
    row('an unknown kind', 400, { kind: 'spelling' }),
    row('the source language', 400, { language: 'en' }),
    row('a missing key', 404, { key: 'none' }),
    row('a missing namespace', 404, { namespace: 'none' }),
    row('a missing language', 404, { language: 'fr' }),
    row('a key named like a prototype', 404, { key: '__proto__' }),
    row('an empty key', 400, { key: '' }),
    row('an unknown member', 400, { why: 'x' }),
    row('If-Match', 400, {}, { headers: { 'if-match': '*' } }),
    row('a stale tag', 412, { expected: { 'de/common': '"0"' } }),
    row('a reader', 403, {}, { key: scene.reader }),
    row('another organization', 404, {}, { key: scene.other.key }),
    row('the body of a list', 400, {}, { body: [good] }),
  ])
  t.equal(await newest(), before)
  const { etag } = (await must('GET', `${web}/bundles/de/common`)).headers
  await dismiss(web, 'space', { expected: { 'de/common': etag } })
  t.strictSame((await stateOf(web)).problems, 0)
})

t.test('dismissals follow their keys', async t => {
  const web = await project('follows')
  const start = await newest()
  await dismiss(web)
  const dismissed = await newest()
  const revert = async (revision: string) => must('POST', `${web}/revert`, { revision })
  const held = { problems: 0, dismissed: { text: ['space'] } }
  await must('POST', `${web}/rename-key`, { namespace: 'common', from: 'text', to: 'sum' })
  t.strictSame(await stateOf(web), { problems: 0, dismissed: { sum: ['space'] } }, 'a renamed key')
  await revert(await newest())
  t.strictSame(await stateOf(web), held, 'an undone renaming')
  await must('POST', `${web}/rename-namespace`, { from: 'common', to: 'shared' })
  t.strictSame(await stateOf(web), held, 'a renamed namespace')
  await revert(await newest())
  await must('POST', `${web}/rename-language`, { from: 'de', to: 'de-AT' })
  t.strictSame(await stateOf(web, 'de-AT'), held, 'a renamed language')
  await revert(await newest())
  t.strictSame(await stateOf(web), held, 'an undone renaming of a language')
  await must('PATCH', web, { defaultFormat: 'i18next-json-flat' })
  t.strictSame(await stateOf(web), held, 'another format')
  await must('POST', `${web}/delete-key`, { namespace: 'common', key: 'text' })
  await must('PUT', `${web}/bundles/en/common/text`, { value: 'Total: ' })
  await must('PUT', `${web}/bundles/de/common/text`, { value: 'Summe:' })
  t.strictSame(await stateOf(web), { problems: 1, dismissed: {} }, 'dismissals go with a deleted key')
  await must('POST', `${web}/restore`, { at: dismissed })
  t.strictSame(await stateOf(web), held, 'a restore')
  await must('PUT', `${web}/bundles/de/common?prune=true`, { other: 'Anderes' })
  await revert(await newest())
  t.strictSame(await stateOf(web), held, 'an undone prune')
  await must('DELETE', web)
  await project('follows')
  t.strictSame(await stateOf(web), { problems: 1, dismissed: {} }, 'another project of that name')
  await must('POST', `${web}/restore`, { at: start })
  t.strictSame(await stateOf(web), { problems: 1, dismissed: {} })
})

t.test('a dismissal drops marks that fit no more', async t => {
  const web = await project('drops')
  await must('PUT', `${web}/bundles/de/common/other`, { value: 'Anderes ' })
  await dismiss(web)
  await must('PUT', `${web}/bundles/de/common/text`, { value: 'Summe: ' })
  await dismiss(web, 'space', { key: 'other' })
  const file = (await marksFile(web)) as Record<string, { dismissed: { space: object } }>
  t.match(file, { other: { dismissed: { space: { of: textDigest('Other', 'Anderes ') } } } })
  t.strictSame(Object.keys(file), ['other'])
  t.strictSame(Object.keys(file.other!.dismissed.space), ['at', 'by', 'of'])
  t.notMatch(JSON.stringify(file), '@', 'no address')
})
