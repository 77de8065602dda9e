/** Accepting and rejecting suggestions, and the setting that asks for a review. */
import t from 'tap'
import type { LanguageRights } from '../../src/auth/rights.ts'
import type { Session } from '../contract/server.ts'
import { isError, openScene, type Row, runRows, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

/** A project with texts in two languages. */
async function project(slug: string): Promise<string> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  const en = { home: 'Home', hello: 'Hello {{name}}', item_one: '{{count}} item', item_other: '{{count}} items' }
  await server.must('PUT', `${path}/bundles/en/common`, { key: acme.key, body: en })
  await server.must('PUT', `${path}/bundles/en/more`, { key: acme.key, body: { list: ['a', 'b', 'c'], x: 'X' } })
  await server.must('PUT', `${path}/bundles/de/common`, { key: acme.key, body: { home: 'Heim', item_one: 'ein' } })
  return path
}

const must = (method: string, path: string, body?: object, as?: Session) =>
  scene.server.must(method, path, { ...(as ? { as } : { key: scene.acme.key }), ...(body && { body }) })
const suggest = async (path: string, key: string, value: unknown, as?: Session): Promise<string> =>
  (await must('POST', `${path}/suggestions/de/${key.includes('/') ? key : `common/${key}`}`, { value }, as)).json
    .suggestion.id
const listed = async (path: string) => (await must('GET', `${path}/suggestions`)).json.suggestions
const german = async (path: string, namespace = 'common') => (await must('GET', `${path}/bundles/de/${namespace}`)).json
const tokenFor = async (may: LanguageRights[0]['may']): Promise<string> => {
  const body = { name: may, rights: [{ languages: ['de'], may }] }
  return (await scene.server.must('POST', '/api/tokens', { as: scene.acme.owner, body })).json.key
}
const commitText = async () => {
  await scene.server.newest(scene.acme.id)
  return scene.server.git(scene.acme.id, 'show', '-s', '--format=%B', 'HEAD').trim()
}
const marksAt = (path: string) => JSON.parse(scene.server.git(scene.acme.id, 'show', `HEAD:${path}`))

t.test('accepts one suggestion in one commit, and approves its text', async t => {
  const { server, acme, admin, member } = scene
  const web = await project('web')
  const id = await suggest(web, 'home', 'Startseite', member)
  const other = await suggest(web, 'home', 'Anfang')
  const commits = await server.commits(acme.id)
  const body = { language: 'de', ids: [id] }
  const accepted = await server.must('POST', `${web}/suggestions/accept`, { as: admin, body })
  t.match(accepted.json, { accepted: 1, conflicts: [] })
  t.equal(accepted.json.conflicts.length, 0)
  t.strictSame((await german(web)).home, 'Startseite')
  t.strictSame(
    (await listed(web)).map((one: { id: string }) => one.id),
    [other],
    'the others of the key stay',
  )
  t.equal(await server.commits(acme.id), commits + 1)
  t.match(
    await commitText(),
    /^web de\/common: accept a suggestion for home\n[\s\S]*Parlance-Added: 0\nParlance-Updated: 1$/,
  )
  const { home } = marksAt('web/marks/de/common.json')
  t.match(home.approved, { by: { id: admin.user.id, name: 'Adam' }, of: /^[0-9a-f]{16}$/ })
  const again = await server.must('POST', `${web}/suggestions/accept`, { as: admin, body })
  t.match(again.json, { accepted: 0, conflicts: [{ id, namespace: null, key: null, why: 'gone' }] })
  t.equal(await server.commits(acme.id), commits + 1, 'no commit')
  const undone = await must('POST', `${web}/revert`, { revision: accepted.json.revision })
  t.equal(undone.status, 200)
  t.strictSame((await german(web)).home, 'Heim')
  t.equal((await listed(web)).length, 2, 'the undo brings the suggestion back')
})

t.test('accepts all of a person, with edits, new keys, forms and array items', async t => {
  const { server, acme, member } = scene
  const path = await project('many')
  await suggest(path, 'home', 'Start', member)
  const hello = await suggest(path, 'hello', 'Hallo {{name}}', member)
  await suggest(path, 'item_other', '{{count}} Dinge', member)
  await suggest(path, 'more/list.1', 'B', member)
  await suggest(path, 'more/list.0', 'A', member)
  await suggest(path, 'hello', 'of a token')
  const values = { [hello]: 'Guten Tag {{name}}' }
  const body = { language: 'de', by: member.user.id, values }
  t.match((await must('POST', `${path}/suggestions/accept`, body)).json, { accepted: 5, conflicts: [] })
  t.strictSame(await german(path), {
    ...{ hello: 'Guten Tag {{name}}', home: 'Start', item_one: 'ein', item_other: '{{count}} Dinge' },
  })
  t.strictSame(await german(path, 'more'), { list: ['A', 'B'] })
  t.match(
    await commitText(),
    /^many: accept 5 suggestions\n[\s\S]*Parlance-Language: de\nParlance-Namespace: common\nParlance-Namespace: more\nParlance-Added: 3\nParlance-Updated: 2$/,
  )
  t.equal((await listed(path)).length, 1)
  const status = await must('GET', `${path}/status?language=de`)
  t.match(status.json.languages[0], { stale: 0 })
  t.ok(await server.commits(acme.id))
})

t.test('accepts or rejects what a commit brought', async t => {
  const { server, member } = scene
  const path = await project('commits')
  await must('PATCH', path, { review: { de: { fourEyes: false } } })
  const translator = await tokenFor('translate')
  const push = async (value: string): Promise<string> => {
    const body = { bundles: { de: { common: { home: value, hello: `${value} {{name}}` }, more: { x: value } } } }
    return (await server.must('POST', `${path}/push?overwrite=true`, { key: translator, body })).json.revision
  }
  const first = await push('eins')
  await suggest(path, 'home', 'von Mia', member)
  const decide = (verb: string, revision: string, sending: object = { key: scene.acme.key }) =>
    server.call('POST', `${path}/suggestions/${verb}`, { ...sending, body: { language: 'de', revision } })
  isError(t, await decide('accept', 'f'.repeat(40)), 404, 'an unknown commit')
  isError(t, await decide('accept', first, { key: translator }), 403, 'without the right to review')
  await must('POST', `${path}/rename-key`, { namespace: 'common', from: 'hello', to: 'greeting' })
  t.match((await decide('accept', first)).json, { accepted: 3, conflicts: [] })
  t.match(await german(path), { home: 'eins', greeting: 'eins {{name}}' })
  t.match((await decide('accept', first)).json, { accepted: 0, conflicts: [] }, 'nothing of it is left')
  const second = await push('zwei')
  t.equal((await listed(path)).length, 4)
  t.match((await decide('reject', second, { key: translator })).json, { rejected: 3 }, 'its author withdraws it')
  t.match(await listed(path), [{ message: 'von Mia' }])
  const { revision } = (await must('GET', `${path}/history?limit=1`)).json.revisions[0]
  t.match((await decide('accept', revision)).json, { accepted: 0 }, 'a commit that brought none')
})

t.test('names conflicts, and accepts with a changed source only on request', async t => {
  const { member } = scene
  const path = await project('conflicts')
  const home = await suggest(path, 'home', 'Start', member)
  const hello = await suggest(path, 'hello', 'Hallo {{name}}', member)
  await must('PUT', `${path}/bundles/en/common/home`, { value: 'Home page' })
  const accept = async (body: object) =>
    (await must('POST', `${path}/suggestions/accept`, { language: 'de', ...body })).json
  t.match(await accept({ ids: [home, hello, 'unknown'] }), {
    accepted: 1,
    conflicts: [
      { id: home, namespace: 'common', key: 'home', why: 'source-changed' },
      { id: 'unknown', namespace: null, key: null, why: 'gone' },
    ],
  })
  t.equal((await german(path)).home, 'Heim')
  t.match(await accept({ ids: [home], anyway: true }), { accepted: 1 })
  t.equal((await german(path)).home, 'Start')
  await suggest(path, 'more/x', 'XX', member)
  await must('DELETE', `${path}/bundles/en/more/x`)
  t.match(await accept({ by: member.user.id }), { accepted: 0, conflicts: [{ key: 'x', why: 'gone' }] })
  t.match(await accept({ by: member.user.id, anyway: true }), { accepted: 0, conflicts: [{ key: 'x', why: 'gone' }] })
  t.strictSame(await listed(path), [], 'it waits unseen')
  await must('PUT', `${path}/bundles/en/more/x`, { value: 'X' })
  t.match(await accept({ by: member.user.id }), { accepted: 1, conflicts: [] }, 'its key is back')
})

t.test('accepts no empty text in place of a suggested one', async t => {
  const { server, acme, member } = scene
  const path = await project('blank')
  const home = await suggest(path, 'home', 'Start', member)
  const item = await suggest(path, 'item', { one: 'ein', other: 'viele' }, member)
  for (const values of [{ [home]: '' }, { [item]: { one: '', other: '' } }]) {
    const body = { language: 'de', ids: Object.keys(values), values }
    const refused = await server.call('POST', `${path}/suggestions/accept`, { key: acme.key, body })
    isError(t, refused, 422, 'an empty text')
    t.match(refused.json.error, /needs a text/)
  }
  t.equal((await listed(path)).length, 2)
  await must('POST', `${path}/suggestions/reject`, { language: 'de', ids: [home, item] })
  await must('PATCH', path, { review: { de: { fourEyes: false } } })
  const key = await tokenFor('translate')
  t.equal((await server.call('PUT', `${path}/bundles/de/common/home`, { key, body: { value: '' } })).status, 202)
  const [{ id }] = await listed(path)
  t.match((await must('POST', `${path}/suggestions/accept`, { language: 'de', ids: [id] })).json, { accepted: 1 })
  t.equal((await german(path)).home, '', 'a text that its translator emptied')
  const withdrawn = (await must('POST', `${path}/unapprove`, { language: 'de' })).json
  t.equal(withdrawn.unapproved, 0, 'no approval of an empty text')
})

t.test('rejects with a reason, and lets an author withdraw', async t => {
  const { server, admin, member } = scene
  const path = await project('rejects')
  const id = await suggest(path, 'home', 'Start', member)
  const key = await tokenFor('suggest')
  const own = (await server.must('POST', `${path}/suggestions/de/common/home`, { key, body: { value: 'Eigen' } })).json
  const url = `${path}/suggestions/reject`
  const refused = await server.call('POST', url, { key, body: { language: 'de', ids: [id, own.suggestion.id] } })
  isError(t, refused, 403, 'a suggestion of another')
  t.equal(refused.json.error, 'This API token has no right to review texts in "de" in project "rejects".')
  isError(t, await server.call('POST', url, { key, body: { language: 'de', by: member.user.id } }), 403, 'of another')
  t.equal((await listed(path)).length, 2)
  const withdrawn = await server.must('POST', url, { key, body: { language: 'de', ids: [own.suggestion.id] } })
  t.match(withdrawn.json, { rejected: 1, conflicts: [] })
  const body = { language: 'de', by: member.user.id, reason: ' Too\nformal ' }
  t.match((await server.must('POST', url, { as: admin, body })).json, { rejected: 1 })
  t.match(await commitText(), /^rejects de\/common: reject a suggestion for home\n[\s\S]*Parlance-Reason: Too formal$/)
  t.strictSame(await listed(path), [])
  t.equal((await german(path)).home, 'Heim')
})

t.test('needs the right to review, and a well-formed request', async t => {
  const { acme, member } = scene
  const path = await project('rights')
  await suggest(path, 'home', 'Start', member)
  const by = member.user.id
  const url = `${path}/suggestions/accept`
  const row = (name: string, status: number, body: object, key = acme.key): Row => ({
    ...{ name, method: 'POST', path: url, status, body, key },
  })
  await runRows(t, scene.server, [
    row('translate', 403, { language: 'de', by }, await tokenFor('translate')),
    row('suggest', 403, { language: 'de', by }, await tokenFor('suggest')),
    row('another language', 403, { language: 'en', by }, await tokenFor('review')),
    row('neither ids nor by', 400, { language: 'de' }),
    row('no ids', 400, { language: 'de', ids: [] }),
    row('a bad language', 400, { language: '..', by }),
    row('a bad text', 422, { language: 'de', by, values: { [(await listed(path))[0].id]: { some: 'x' } } }),
    row('review', 200, { language: 'de', by }, await tokenFor('review')),
  ])
})

t.test('a project says which languages are reviewed', async t => {
  const { server, acme, member } = scene
  const path = await project('setting')
  const patch = (review: unknown) => server.call('PATCH', path, { key: acme.key, body: { review } })
  for (const [review, error] of [
    [{ en: {} }, /source language/],
    [{ '..': {} }, /language/],
    [{ de: { sixEyes: true } }, /sixEyes/],
    [{ de: { fourEyes: 1 } }, /fourEyes/],
    [{ de: true }, /review/],
  ] as const) {
    const reply = await patch(review)
    isError(t, reply, 400, String(error))
    t.match(reply.json.error, error)
  }
  isError(t, await server.call('PATCH', path, { as: member, body: { review: { de: {} } } }), 403, 'a member')
  t.strictSame((await patch({ fr: { fourEyes: true }, de: {} })).json.review, {
    de: { fourEyes: false },
    fr: { fourEyes: true },
  })
  t.strictSame((await must('GET', path)).json.review, { de: { fourEyes: false }, fr: { fourEyes: true } })
  const [row] = (await must('GET', '/api/projects')).json.projects.filter(
    (one: { slug: string }) => one.slug === 'setting',
  )
  t.strictSame(row.review, { de: { fourEyes: false }, fr: { fourEyes: true } })
  await server.commits(acme.id)
  t.match(await commitText(), /^change project setting: new review\n/)
  t.strictSame((await patch({ fr: null })).json.review, { de: { fourEyes: false } })
  const { revision } = (await must('GET', `${path}/history?limit=1`)).json.revisions[0]
  await must('POST', `${path}/revert`, { revision })
  t.match((await must('GET', path)).json, { review: { fr: { fourEyes: true } } }, 'an undo brings a language back')
})

t.test('with four eyes, another person accepts', async t => {
  const { server, admin, member } = scene
  const path = await project('eyes')
  await must('PATCH', path, { review: { de: { fourEyes: true } } })
  const id = await suggest(path, 'home', 'Start', member)
  const accept = async (as: Session, more: object = {}) =>
    (await server.must('POST', `${path}/suggestions/accept`, { as, body: { language: 'de', ids: [id], ...more } })).json
  t.match(await accept(member), { accepted: 0, conflicts: [{ id, key: 'home', why: 'own' }] })
  t.match(
    await accept(admin, { values: { [id]: 'Mein' } }),
    { accepted: 0, conflicts: [{ why: 'own' }] },
    'an own edit',
  )
  t.match(await accept(admin), { accepted: 1 })
  t.equal((await german(path)).home, 'Start')
})
