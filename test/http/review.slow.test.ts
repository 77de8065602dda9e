/** Languages with a review: what each write of a text does there, by the right of its author. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import type { LanguageRights } from '../../src/auth/rights.ts'
import { textDigest } from '../../src/bundle/text-digest.ts'
import { eventually } from '../eventually.ts'
import { isError, openScene, type Reply, type Scene } from './server.ts'

let scene: Scene
let keys: { translate: string; suggest: string; review: string; read: string; adder: string }
t.before(async () => {
  scene = await openScene(t)
  const mint = async (may: LanguageRights[0]['may'], scope = 'write'): Promise<string> => {
    const body = { name: `${scope} ${may}`, scope, rights: [{ languages: ['*'], may }] }
    return (await scene.server.must('POST', '/api/tokens', { as: scene.acme.owner, body })).json.key
  }
  const { key: adder } = await scene.server.mint(scene.acme.owner, 'app', 'add')
  keys = {
    ...{ translate: await mint('translate'), suggest: await mint('suggest'), review: await mint('review') },
    ...{ read: await mint('read'), adder },
  }
})

/** A project with German under review, and French without. */
async function project(slug: string, fourEyes = false): Promise<string> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  await server.must('PUT', `${path}/bundles/en/common`, {
    key: acme.key,
    body: { a: 'A', b: 'B', c: 'C', item_one: 'i', item_other: 'j' },
  })
  for (const language of ['de', 'fr'])
    await server.must('PUT', `${path}/bundles/${language}/common`, {
      key: acme.key,
      body: { a: `a ${language}`, b: 'b' },
    })
  await server.must('PATCH', path, { key: acme.key, body: { review: { de: { fourEyes } } } })
  return path
}

const call = (method: string, path: string, body?: unknown, key = keys.translate): Promise<Reply> =>
  scene.server.call(method, path, { key, ...(body !== undefined && { body }) })
const admin = (method: string, path: string, body?: unknown) => call(method, path, body, scene.acme.key)
const textsOf = async (path: string, language = 'de') => (await admin('GET', `${path}/bundles/${language}/common`)).json
const waiting = async (path: string): Promise<Record<string, unknown>> => {
  const { suggestions } = (await admin('GET', `${path}/suggestions?limit=100`)).json
  return Object.fromEntries(suggestions.map((one: { key: string; message: unknown }) => [one.key, one.message]))
}
const newest = async (path: string) => (await admin('GET', `${path}/history?limit=1`)).json.revisions[0]
/** The digests of approvals. */
async function approvals(path: string): Promise<Record<string, string>> {
  const slug = path.split('/').at(-1)
  const revision = await scene.server.newest(scene.acme.id)
  try {
    const file = scene.server.git(scene.acme.id, 'show', `${revision}:${slug}/marks/de/common.json`)
    const marks = Object.entries<{ approved?: { of: string } }>(JSON.parse(file))
    return Object.fromEntries(marks.flatMap(([key, { approved }]) => (approved ? [[key, approved.of]] : [])))
  } catch {
    return {}
  }
}

t.test('a text of a translator waits', async t => {
  const path = await project('put')
  const before = await admin('GET', `${path}/bundles/de/common`)
  const put = await call('PUT', `${path}/bundles/de/common/a`, { value: 'neu' })
  t.equal(put.status, 202)
  t.strictSame(put.json, { key: 'a', namespace: 'common', suggested: 1 })
  t.equal(put.headers.etag, before.headers.etag, 'the tag of the bundle that stays')
  t.strictSame(await textsOf(path), { a: 'a de', b: 'b' })
  t.strictSame(await waiting(path), { a: 'neu' })
  t.match(await newest(path), { subject: 'put de/common: suggest a' })
  const { revision } = await newest(path)
  t.equal((await call('PUT', `${path}/bundles/de/common/a`, { value: 'neu' })).status, 202)
  t.equal((await newest(path)).revision, revision, 'the same write again is no commit')
  t.equal((await call('PUT', `${path}/bundles/fr/common/a`, { value: 'neuf' })).status, 200, 'no review')
  t.equal((await call('PUT', `${path}/bundles/en/common/a`, { value: 'A2' })).status, 200, 'the source')
  t.equal((await call('PUT', `${path}/bundles/de/common/a`, { value: 'neu' })).status, 202)
  t.not((await newest(path)).revision, revision, 'its source has changed')
})

t.test('the forms of a plural may come one by one', async t => {
  const path = await project('forms')
  const put = (name: string, value: unknown) => call('PUT', `${path}/bundles/de/common/${name}`, { value })
  const suggest = (name: string, value: unknown) => call('POST', `${path}/suggestions/de/common/${name}`, { value })
  for (const form of ['one', 'other']) t.equal((await put(`item_${form}`, form)).status, 202)
  t.strictSame((await waiting(path)).item, { cardinal: { one: 'one', other: 'other' } })
  t.equal((await suggest('item_one', 'eins')).status, 201)
  t.strictSame((await waiting(path)).item, { cardinal: { one: 'eins', other: 'other' } })
  // A whole message has no other forms.
  t.equal((await suggest('item', { cardinal: { many: 'viele' } })).status, 201)
  t.strictSame((await waiting(path)).item, { cardinal: { many: 'viele' } })
  await call('POST', `${path}/push`, { bundles: { de: { common: { item_other: 'andere' } } } })
  t.strictSame((await waiting(path)).item, { cardinal: { many: 'viele', other: 'andere' } })
  await call('PUT', `${path}/bundles/de/common/item_one`, { value: 'ein' }, keys.suggest)
  const { suggestions } = (await admin('GET', `${path}/suggestions?key=item&namespace=common`)).json
  t.strictSame(suggestions.at(-1).message, { cardinal: { one: 'ein' } }, 'those of another author are not theirs')
  // Those for an earlier source are not continued.
  await admin('PUT', `${path}/bundles/en/common/item_one`, { value: 'new' })
  await put('item_one', 'neu')
  const { suggestions: now } = (await admin('GET', `${path}/suggestions?key=item&namespace=common`)).json
  t.ok(now.some(({ message }: { message: unknown }) => JSON.stringify(message) === '{"cardinal":{"one":"neu"}}'))
})

t.test('no language escapes its review by another case', async t => {
  const path = await project('case')
  const review = (settings: object) => admin('PATCH', path, { review: settings })
  const on = { fourEyes: false }
  for (const tag of ['DE', 'EN']) {
    isError(t, await review({ [tag]: on }), 409, `a review of "${tag}" holds no text`)
  }
  isError(t, await review({ it: on, IT: on }), 409, 'two reviews of a language')
  t.equal((await review({ 'pt-BR': on })).status, 200, 'before the language')
  for (const key of [keys.translate, scene.acme.key]) {
    isError(t, await call('PUT', `${path}/bundles/pt-br/common`, { a: 'x' }, key), 409, 'another language by its case')
  }
  t.equal((await call('PUT', `${path}/bundles/pt-BR/common`, { a: 'x' })).status, 200)
  t.strictSame(await waiting(path), { a: 'x' })
  t.equal((await admin('POST', `${path}/rename-language`, { from: 'de', to: 'DE' })).status, 200)
  t.strictSame(Object.keys((await admin('GET', path)).json.review), ['DE', 'pt-BR'], 'the review follows')
  t.equal((await call('PUT', `${path}/bundles/DE/common/a`, { value: 'neu' })).status, 202)
})

t.test('a text of a reviewer is written and approved', async t => {
  const path = await project('reviewer')
  t.equal((await call('PUT', `${path}/bundles/de/common/a`, { value: 'neu' }, keys.review)).status, 200)
  t.strictSame(await textsOf(path), { a: 'neu', b: 'b' })
  t.strictSame(await approvals(path), { a: textDigest('A', 'neu') })
  const push = { bundles: { de: { common: { b: 'B!', c: 'c', item_one: 'x' } } } }
  t.match((await call('POST', `${path}/push?overwrite=true`, push, keys.review)).json, { added: 2, updated: 1 })
  t.strictSame(await approvals(path), {
    ...{ a: textDigest('A', 'neu'), b: textDigest('B', 'B!'), c: textDigest('C', 'c') },
    item: textDigest({ cardinal: { one: 'i', other: 'j' } }, { cardinal: { one: 'x' } }),
  })
  await admin('PUT', `${path}/bundles/de/common/c`, { value: 'cc' })
  t.equal((await approvals(path)).c, textDigest('C', 'cc'), 'who has no rights reviews all')
  t.strictSame(await waiting(path), {})
})

t.test('who may only suggest writes suggestions, and who only reads nothing', async t => {
  const path = await project('levels')
  t.equal((await call('PUT', `${path}/bundles/de/common/a`, { value: 'neu' }, keys.suggest)).status, 202)
  isError(
    t,
    await call('PUT', `${path}/bundles/fr/common/a`, { value: 'neu' }, keys.suggest),
    403,
    'no review in French',
  )
  isError(t, await call('DELETE', `${path}/bundles/de/common/a`, undefined, keys.suggest), 403, 'a removal')
  isError(t, await call('PUT', `${path}/bundles/de/common/a`, { value: 'x' }, keys.read), 403, 'a reader')
  t.strictSame(await waiting(path), { a: 'neu' })
})

t.test('an app that registers missing keys reviews nothing', async t => {
  const path = await project('missing')
  for (const key of [keys.adder, keys.suggest]) {
    const added = await call('POST', `${path}/bundles/de/common`, { c: 'see', d: '' }, key)
    t.match(added.json, { added: 0, updated: 0, suggested: 1 })
  }
  t.strictSame(await textsOf(path), { a: 'a de', b: 'b' }, 'also no empty text')
  t.strictSame(await waiting(path), { c: 'see' })
  isError(t, await call('POST', `${path}/bundles/fr/common`, { c: 'x' }, keys.suggest), 403, 'no review')
  isError(t, await call('POST', `${path}/bundles/de/common`, { c: 'x' }, keys.read), 403, 'no right')
})

t.test('a push writes what needs no review, and says what waits', async t => {
  const path = await project('push')
  const body = {
    bundles: {
      en: { common: { a: 'A', b: 'B', c: 'C', d: 'D', item_one: 'i', item_other: 'j' } },
      de: { common: { a: 'eins', c: 'drei', item_one: 'x', item_other: 'y' }, more: { x: 'X' } },
      fr: { common: { a: 'un', c: 'trois' } },
    },
  }
  const url = `${path}/push?overwrite=true`
  const dry = await call('POST', `${url}&dryRun=true`, body)
  const pushed = await call('POST', url, body)
  const counts = { added: 2, updated: 1, skipped: 0, suggested: 4 }
  t.match(pushed.json, { ...counts, dryRun: false })
  t.match(dry.json, { ...counts, dryRun: true }, 'a dry run says the same')
  const rows = Object.fromEntries(
    pushed.json.bundles.map((one: Record<string, unknown>) => [`${one.language}/${one.namespace}`, one]),
  )
  t.match(rows['de/common'], { added: 0, updated: 0, suggested: 3 })
  t.match(rows['de/more'], { added: 0, suggested: 1, etag: 'W/"0967ef424bce6791893e9a57bb952f80fd536e93"' })
  t.equal(rows['de/common'].etag, (await admin('GET', `${path}/bundles/de/common`)).headers.etag)
  t.notOk('suggested' in rows['fr/common'])
  t.strictSame(await textsOf(path, 'fr'), { a: 'un', b: 'b', c: 'trois' })
  t.strictSame(await textsOf(path), { a: 'a de', b: 'b' })
  t.equal((await admin('GET', `${path}/bundles/de/more`)).status, 200)
  t.match(await newest(path), { subject: 'push: add 2, update 1 key in 2 bundles' })
  const { revision } = await newest(path)
  t.match((await call('POST', url, body)).json, { added: 0, updated: 0, suggested: 4 })
  t.equal((await newest(path)).revision, revision, 'the same push again is no commit')
  t.match((await call('PUT', `${path}/bundles/de/common?overwrite=true`, { b: 'zwei' })).json, {
    updated: 0,
    suggested: 1,
  })
  const custom = { bundles: { de: { common: { b: 'deux' } } }, message: 'My texts' }
  t.match((await call('POST', url, custom)).json, { suggested: 1 })
  t.match(await newest(path), { subject: 'My texts' })
  t.match((await call('POST', `${path}/push`, { bundles: { de: { common: { c: 'c1', item_one: 'z' } } } })).json, {
    suggested: 2,
  })
  t.match(await newest(path), { subject: 'push de/common: suggest 2 texts' })
})

t.test('removed and moved texts are no new texts', async t => {
  const path = await project('moved')
  await admin('PUT', `${path}/bundles/de/common`, { item_one: 'x', item_other: 'y', c: 'c' })
  const must = async (method: string, url: string, body?: unknown) => {
    const reply = await call(method, url, body)
    t.ok(reply.status < 300 && reply.status !== 202, `${method} ${url}: ${reply.status} ${reply.text}`)
  }
  await must('DELETE', `${path}/bundles/de/common/item_one`)
  await must('POST', `${path}/rename-key`, { namespace: 'common', from: 'a', to: 'z' })
  t.equal((await textsOf(path)).z, 'a de')
  await must('POST', `${path}/rename-namespace`, { from: 'common', to: 'shared' })
  await must('POST', `${path}/rename-namespace`, { from: 'shared', to: 'common' })
  t.equal((await textsOf(path)).z, 'a de')
  await must('POST', `${path}/delete-key`, { namespace: 'common', key: 'b' })
  await must('PUT', `${path}/bundles/de/common?prune=true`, { z: 'a de', item_other: 'y' })
  t.strictSame(await textsOf(path), { item_other: 'y', z: 'a de' })
  t.equal((await admin('PATCH', path, { defaultFormat: 'i18next-json-flat' })).status, 200)
  t.strictSame(await waiting(path), {})
  const renaming = { from: 'de', to: 'de-AT' }
  isError(t, await call('POST', `${path}/rename-language`, renaming), 403, 'which would end the review of German')
  t.equal((await call('POST', `${path}/rename-language`, renaming, keys.review)).status, 200)
  t.strictSame(
    (await admin('GET', path)).json.review,
    { 'de-AT': { fourEyes: false } },
    'the review follows its language',
  )
  t.equal((await call('PUT', `${path}/bundles/de-AT/common/z`, { value: 'neu' })).status, 202)
  t.equal(
    (await call('PUT', `${path}/bundles/de-AT/common?prune=true&overwrite=true`, { q: 'a de' })).json.suggested,
    1,
    'a swapped text',
  )
})

t.test('undos and restores bring back only what was approved', async t => {
  const path = await project('undo')
  await call('PUT', `${path}/bundles/de/common/a`, { value: 'gut' }, keys.review)
  const approved = (await newest(path)).revision
  await admin('PUT', `${path}/bundles/de/common/b`, { value: 'zwei' })
  await call('PUT', `${path}/bundles/de/common/a`, { value: 'besser' }, keys.review)
  const better = (await newest(path)).revision
  const undo = await call('POST', `${path}/revert`, { revision: better })
  t.match(undo.json, { reverted: 1 })
  t.equal((await textsOf(path)).a, 'gut', 'its text was approved before')
  t.equal((await approvals(path)).a, textDigest('A', 'gut'))
  await admin('PUT', `${path}/bundles/en/common/b`, { value: 'B2' })
  const restore = await call('POST', `${path}/restore`, { at: `${approved}^`, language: 'de' })
  t.match(restore.json, { suggested: 2, updated: 0 })
  t.strictSame(await textsOf(path), { a: 'gut', b: 'zwei' }, 'texts that no one approved wait')
  t.strictSame(await waiting(path), { a: 'a de', b: 'b' })
  t.match(await newest(path), { subject: 'undo de/common: suggest 2 texts' })
  await call('PUT', `${path}/bundles/de/common/b`, { value: 'neu' }, keys.review)
  await admin('POST', `${path}/push?overwrite=true`, { bundles: { de: { common: { c: 'c' } } } })
  const pushed = (await newest(path)).revision
  await admin('DELETE', `${path}/bundles/de/common/c`)
  const gone = (await newest(path)).revision
  t.match((await call('POST', `${path}/revert`, { revision: gone })).json, { reverted: 1 })
  t.equal((await textsOf(path)).c, 'c', 'a deletion of an approved text')
  const marks = JSON.stringify(await approvals(path))
  t.match(marks, textDigest('C', 'c'))
  const many = await call('POST', `${path}/revert`, { revisions: [better, pushed] })
  t.ok([200, 403].includes(many.status), many.text)
})

t.test('an undo of what was not approved waits, with all that follows from it', async t => {
  const path = await project('stale')
  await admin('PUT', `${path}/bundles/en/common/a`, { value: 'A2' })
  const before = (await admin('GET', `${path}/status?language=de`)).json.languages[0].stale
  t.equal(before, 1)
  await call('PUT', `${path}/bundles/de/common/a`, { value: 'neu' }, keys.review)
  const { revision } = await newest(path)
  t.equal((await admin('GET', `${path}/status?language=de`)).json.languages[0].stale, 0)
  t.match((await call('POST', `${path}/revert`, { revision })).json, { reverted: 0, suggested: 1 })
  t.equal((await textsOf(path)).a, 'neu')
  t.equal(
    (await admin('GET', `${path}/status?language=de`)).json.languages[0].stale,
    0,
    'the text is as fresh as before',
  )
  t.strictSame(await waiting(path), { a: 'a de' })
  t.equal((await approvals(path)).a, textDigest('A2', 'neu'))
})

t.test('with four eyes, texts of every author wait', async t => {
  const path = await project('eyes', true)
  t.equal((await admin('PUT', `${path}/bundles/de/common/a`, { value: 'neu' })).status, 202)
  t.equal((await call('PUT', `${path}/bundles/de/common/b`, { value: 'neu' }, keys.review)).status, 202)
  const accept = {
    language: 'de',
    ids: (await admin('GET', `${path}/suggestions`)).json.suggestions.map((one: { id: string }) => one.id),
  }
  const done = await call('POST', `${path}/suggestions/accept`, accept, keys.review)
  t.match(done.json, { accepted: 1, conflicts: [{ key: 'b', why: 'own' }] })
  t.strictSame(await textsOf(path), { a: 'neu', b: 'b' })
})

t.test('large bundles go through the worker', async t => {
  const path = await project('large')
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key${n}`, `text ${n}`]))
  await admin('PUT', `${path}/bundles/en/big`, many)
  await admin('PUT', `${path}/bundles/de/big`, many)
  t.equal((await call('PUT', `${path}/bundles/de/big/key7`, { value: 'neu' })).status, 202)
  const changed = Object.fromEntries(Object.entries(many).map(([key, text]) => [key, `${text}!`]))
  t.match((await call('PUT', `${path}/bundles/de/big?overwrite=true`, changed)).json, { updated: 0, suggested: 20_000 })
  t.strictSame((await admin('GET', `${path}/bundles/de/big`)).json, many)
  const { suggestions, next } = (await admin('GET', `${path}/suggestions?limit=100`)).json
  t.equal(suggestions.length, 100)
  t.ok(next)
})

t.test('a translator brings back no approval that was withdrawn', async t => {
  const path = await project('withdrawn')
  const names = { language: 'de', namespace: 'common', keys: ['a'] }
  await admin('PATCH', path, { review: { de: null } })
  await admin('POST', `${path}/approve`, { language: 'de' })
  const then = (await newest(path)).revision
  const both = await approvals(path)
  t.strictSame(Object.keys(both), ['a', 'b'])
  await admin('POST', `${path}/unapprove`, names)
  for (const key of ['a', 'b']) await call('PUT', `${path}/bundles/de/common/${key}`, { value: 'x' })
  const changed = (await newest(path)).revision
  const restore = (key?: string) => call('POST', `${path}/restore`, { at: then, language: 'de' }, key)
  t.equal((await restore()).status, 200)
  t.strictSame(await textsOf(path), { a: 'a de', b: 'b' })
  t.strictSame(Object.keys(await approvals(path)), ['b'], 'that of a text which never stood without it')
  await admin('POST', `${path}/restore`, { at: changed, language: 'de' })
  t.equal((await restore(keys.review)).status, 200)
  t.strictSame(await approvals(path), both, 'a reviewer may')

  // By an undo, of a deletion before the approval was withdrawn.
  await call('DELETE', `${path}/bundles/de/common/a`)
  const deleted = (await newest(path)).revision
  await call('POST', `${path}/revert`, { revision: deleted })
  t.strictSame(await approvals(path), both, 'nothing was withdrawn')
  await admin('POST', `${path}/unapprove`, names)
  await call('DELETE', `${path}/bundles/de/common/a`)
  t.match((await call('POST', `${path}/revert`, { revision: deleted })).json, { reverted: 1 })
  t.strictSame(Object.keys(await approvals(path)), ['b'])

  // Under another name.
  await call('POST', `${path}/rename-key`, { namespace: 'common', from: 'a', to: 'z' })
  await call('POST', `${path}/restore`, { at: then, namespace: 'common', key: 'a' })
  t.strictSame(Object.keys(await approvals(path)), ['b'])

  // With a review, such a text is new.
  await call('DELETE', `${path}/bundles/de/common/a`)
  await admin('PATCH', path, { review: { de: { fourEyes: false } } })
  t.match((await call('POST', `${path}/restore`, { at: then, language: 'de', namespace: 'common', key: 'a' })).json, {
    suggested: 1,
    added: 0,
  })
})

t.test('an undo concerns no suggestion of another person', async t => {
  const path = await project('others')
  const at = `${path}/suggestions/de/common/a`
  await call('POST', at, { value: 'eins' })
  const theirs = (await newest(path)).revision
  await call('POST', at, { value: 'zwei' }, keys.suggest)
  const own = (await newest(path)).revision
  isError(t, await call('POST', `${path}/revert`, { revision: theirs }, keys.suggest), 403, 'one of another person')
  t.match((await call('POST', `${path}/revert`, { revision: own }, keys.suggest)).json, { reverted: 0 })
  t.strictSame(await waiting(path), { a: 'eins' }, 'the own one')
  await call('POST', `${path}/rename-key`, { namespace: 'common', from: 'a', to: 'z' })
  const renamed = (await newest(path)).revision
  t.equal((await call('POST', `${path}/revert`, { revision: renamed })).status, 200)
  t.strictSame(await waiting(path), { a: 'eins' }, 'it moves with its key')
  t.equal((await call('POST', `${path}/revert`, { revision: theirs }, keys.review)).status, 200)
  t.strictSame(await waiting(path), {})
})

t.test('a key with as many suggestions as it can have stops no other', async t => {
  const path = await project('full')
  const file = join(scene.server.repository(scene.acme.id), 'full/suggestions/de/common.json')
  const list = Array.from({ length: 20 }, (_, n) => ({
    ...{ id: `s${n}`, message: `x${n}`, by: { id: `u${n}`, name: 'Agency' }, at: '2026-11-22T09:30:00.000Z' },
    of: textDigest('A', `x${n}`),
  }))
  await scene.server.newest(scene.acme.id)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ a: list }))
  t.ok(await eventually(async () => (await admin('GET', `${path}/suggestions`)).json.suggestions.length === 20, 60_000))
  const push = (body: object) => call('POST', `${path}/push?overwrite=true`, { bundles: { de: { common: body } } })
  const { status, json } = await push({ a: 'neu', b: 'neu' })
  t.equal(status, 200, JSON.stringify(json))
  t.match(json, { updated: 0, skipped: 1, suggested: 1, bundles: [{ skipped: 1, suggested: 1, full: ['a'] }] })
  t.equal((await waiting(path)).b, 'neu')
  t.strictSame(await textsOf(path), { a: 'a de', b: 'b' })
  t.match((await call('PUT', `${path}/bundles/de/common?overwrite=true`, { a: 'neu', c: 'c' })).json, {
    ...{ suggested: 1, skipped: 1, full: ['a'] },
  })
  isError(t, await push({ a: 'neu' }), 422, 'nothing is left to store')
  isError(t, await call('PUT', `${path}/bundles/de/common/a`, { value: 'neu' }), 422, 'one key')
})
