/** Suggestions for texts: routes, rights, and how they follow their keys. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { LanguageRights } from '../../src/auth/rights.ts'
import { eventually, type Session, severalFolders } from '../contract/server.ts'
import { isError, openScene, type Row, runRows, type Scene, type Sending } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const all = (may: 'read' | 'suggest' | 'translate' | 'review'): LanguageRights => [{ languages: ['*'], may }]

/** A project with texts in two languages. */
async function project(slug: string): Promise<string> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  const en = { home: 'Home', hello: 'Hello {{name}}', item_one: '{{count}} item', item_other: '{{count}} items' }
  await server.must('PUT', `${path}/bundles/en/common`, { key: acme.key, body: en })
  await server.must('PUT', `${path}/bundles/de/common`, { key: acme.key, body: { home: 'Heim', item_one: 'ein' } })
  return path
}

const must = (method: string, path: string, body?: object, as?: Session) =>
  scene.server.must(method, path, { ...(as ? { as } : { key: scene.acme.key }), ...(body && { body }) })
const suggest = async (path: string, key: string, value: unknown, as?: Session) =>
  (await must('POST', `${path}/suggestions/de/common/${key}`, { value }, as)).json.suggestion
const listed = async (path: string, query = '') => (await must('GET', `${path}/suggestions?${query}`)).json.suggestions
const tokenFor = async (rights: LanguageRights): Promise<string> =>
  (await scene.server.must('POST', '/api/tokens', { as: scene.acme.owner, body: { name: 'agency', rights } })).json.key

t.test('suggests a text beside the bundle, and lists it', async t => {
  const { server, acme, member } = scene
  const web = await project('web')
  const bundle = (await must('GET', `${web}/bundles/de/common`)).headers.etag
  t.strictSame(await listed(web), [])
  const commits = await server.commits(acme.id)

  const at = `${web}/suggestions/de/common/home`
  const posted = await server.must('POST', at, { as: member, body: { value: 'Startseite' } })
  t.equal(posted.status, 201)
  const { id, at: time, ...rest } = posted.json.suggestion
  t.match(id, /^[A-Za-z0-9_-]{12}$/)
  const by = { id: member.user.id, name: 'Mia' }
  t.strictSame(rest, { message: 'Startseite', by })
  t.equal((await must('GET', `${web}/bundles/de/common`)).headers.etag, bundle, 'the bundle stays')
  const place = { language: 'de', namespace: 'common', key: 'home' }
  const row = { ...place, id, message: 'Startseite', by, at: time, source: 'Home', present: 'Heim', fits: true }
  t.strictSame(await listed(web), [{ ...row, problems: [] }])
  const again = await server.must('POST', at, { as: member, body: { value: 'Startseite' } })
  t.strictSame([again.status, again.json.suggestion], [200, posted.json.suggestion], 'the same one')
  t.equal(again.json.revision, posted.json.revision)
  t.equal(await server.commits(acme.id), commits + 1, 'one commit')
  const show = server.git(acme.id, 'show', '-s', '--format=%B', 'HEAD').trim().split('\n').filter(Boolean)
  t.strictSame(show, [
    'web de/common: suggest home',
    'Parlance-Project: web',
    'Parlance-Language: de',
    'Parlance-Namespace: common',
    'Parlance-Added: 0',
    'Parlance-Updated: 0',
  ])
  t.notMatch(server.git(acme.id, 'show', 'HEAD:web/suggestions/de/common.json'), /@/, 'no e-mail address')

  const newer = await suggest(web, 'home', 'Zuhause', member)
  t.strictSame(
    (await listed(web)).map((one: { id: string }) => one.id),
    [newer.id],
    'it replaces the earlier one',
  )
  await suggest(web, 'home', 'Anfang')
  t.equal((await listed(web)).length, 2, 'another author')
  await must('PUT', `${web}/bundles/en/common/home`, { value: 'Start' })
  t.strictSame(
    (await listed(web)).map((one: { fits: boolean }) => one.fits),
    [false, false],
    'the source changed',
  )
  await must('PUT', `${web}/bundles/de/common/home`, { value: 'Zuhause' })
  t.equal((await listed(web)).length, 2, 'they stay when the text changes')
})

t.test('holds a suggestion to the rules of a write', async t => {
  const path = await project('rules')
  const at = (key: string, language = 'de') => `${path}/suggestions/${language}/common/${key}`
  const row = (name: string, url: string, status: number, body: unknown, error: RegExp): Row => ({
    ...{ name, method: 'POST', path: url, status, body, key: scene.acme.key },
    check: ({ json }, t) => t.match(json.error, error),
  })
  await runRows(t, scene.server, [
    row('the present text', at('home'), 422, { value: 'Heim' }, /"home" of de\/common has this text already/),
    row('no text', at('hello'), 422, { value: '' }, /needs a text/),
    row('a missing key', at('nowhere'), 404, { value: 'x' }, /"nowhere"/),
    row('a missing language', at('home', 'fr'), 404, { value: 'x' }, /no language "fr"/),
    row('a text for a plural', at('item'), 422, { value: 'x' }, /would replace the forms/),
    row('a form of a text', at('home_one'), 422, { value: 'x' }, /no plural forms/),
    row('no value', at('home'), 400, {}, /value/),
    row('a number', at('home'), 400, { value: 1 }, /value/),
  ])
  const form = await suggest(path, 'item_other', '{{count}} Dinge')
  t.strictSame(form.message, { cardinal: { one: 'ein', other: '{{count}} Dinge' } }, 'a form joins the present plural')
  await suggest(path, 'hello', 'Hallo')
  const [hello] = await listed(path, 'namespace=common&key=hello')
  t.strictSame(hello.problems, [{ kind: 'interpolation', missing: ['{{name}}'], extra: [] }])
  t.equal(hello.present, null, 'a key that the language lacks')
  await must('POST', at('home', 'en'), { value: 'Start' })
  t.match(await listed(path, 'language=en'), [{ key: 'home', present: 'Home', fits: true, problems: [] }])
})

t.test('suggests a text with a plural under one key', async t => {
  const web = await project('parts')
  const message = { text: 'Dinge', cardinal: { one: 'ein Ding', other: '{{count}} Dinge' } }
  const { id, message: stored } = await suggest(web, 'item', message)
  t.strictSame(stored, message)
  const post = (key: string, value: unknown) =>
    scene.server.post(`${web}/suggestions/de/common/${key}`, scene.acme.key, { value })
  isError(t, await post('item_one', message), 422, 'a form has no parts')
  isError(t, await post('item', { text: 'x', cardinal: {} }), 422, 'a plural without forms')
  isError(t, await post('item', { text: 'x', plural: { one: 'y' } }), 400, 'an unknown part')
  await must('POST', `${web}/suggestions/accept`, { language: 'de', ids: [id] })
  const { item, item_one, item_other } = (await must('GET', `${web}/bundles/de/common`)).json
  t.strictSame({ item, item_one, item_other }, { item: 'Dinge', item_one: 'ein Ding', item_other: '{{count}} Dinge' })
})

t.test('needs the right to suggest in the language', async t => {
  const { server, acme, member, reader, other, stranger } = scene
  const path = await project('rights')
  const at = `${path}/suggestions/de/common/home`
  const body = { value: 'Start' }
  const row = (name: string, status: number, sending: Sending): Row => ({
    name,
    method: 'POST',
    path: at,
    status,
    body,
    ...sending,
  })
  await runRows(t, server, [
    row('nobody', 401, {}),
    row('a reader', 403, { key: reader }),
    row('a stranger', 403, { as: stranger }),
    row('another organization', 404, { as: other.owner }),
    row('read', 403, { key: await tokenFor(all('read')) }),
    row('suggest in French', 403, { key: await tokenFor([{ languages: ['fr'], may: 'suggest' }]) }),
    row('suggest in German', 201, { key: await tokenFor([{ languages: ['de'], may: 'suggest' }]) }),
    row('translate', 201, { key: await tokenFor(all('translate')) }),
    row('a member', 201, { as: member }),
  ])
  const refused = await server.call('POST', at, { key: await tokenFor(all('read')), body })
  t.equal(refused.json.error, 'This API token has no right to suggest texts in "de" in project "rights".')
  const writes = await server.call('PUT', `${path}/bundles/de/common/home`, {
    key: await tokenFor(all('suggest')),
    body,
  })
  isError(t, writes, 403, 'who suggests writes nothing')
  t.equal((await listed(path)).length, 3)
  t.ok(acme.key)
})

t.test('lists page by page, and by language, namespace, key and author', async t => {
  const { server, acme, member } = scene
  const path = await project('pages')
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`k${n}`, `text ${n}`]))
  for (const namespace of ['common', 'more']) await must('PUT', `${path}/bundles/en/${namespace}`, many)
  await must('PUT', `${path}/bundles/fr/common`, { k0: 'x' })
  const wanted: string[] = []
  for (const language of ['de', 'fr'])
    for (const namespace of ['common', 'more'])
      for (let n = 0; n < 4; n++)
        for (const as of [undefined, member]) {
          const url = `${path}/suggestions/${language}/${namespace}/k${n * 3}`
          wanted.push((await must('POST', url, { value: `${language} ${n}` }, as)).json.suggestion.id)
        }
  const everything = await listed(path, 'limit=100')
  t.strictSame(everything.map(({ id }: { id: string }) => id).sort(), wanted.toSorted())
  const names = everything.map((one: Record<string, string>) => `${one.language} ${one.namespace} ${one.key}`)
  t.strictSame(names, names.toSorted(), 'in order')
  for (const limit of [1, 3, 7]) {
    const ids: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page: { suggestions: { id: string }[]; next: string | null } = (
        await must('GET', `${path}/suggestions?limit=${limit}${query}`)
      ).json
      t.ok(page.suggestions.length <= limit)
      ids.push(...page.suggestions.map(({ id }) => id))
      cursor = page.next
      // A later suggestion is not of this list.
      if (ids.length === limit) await suggest(path, 'home', `later ${limit}`)
    }
    t.strictSame(
      ids.filter(id => wanted.includes(id)),
      everything.map(({ id }: { id: string }) => id),
      `pages of ${limit}`,
    )
  }
  const count = async (query: string) => (await listed(path, `limit=100&${query}`)).length
  t.equal(await count('language=fr'), 16)
  t.equal(await count('namespace=more'), 16)
  t.equal(await count('namespace=more&language=fr&key=k3'), 2)
  t.equal(await count(`language=fr&by=${member.user.id}`), 8)
  t.equal(await count('by=unknown'), 0)
  const get = (query: string) => server.get(`${path}/suggestions?${query}`, acme.key)
  for (const query of ['key=k1', 'limit=101', 'limit=0', 'cursor=x', 'by=a&by=b', 'language=..'])
    isError(t, await get(query), 400, query)
  const { headers } = await get('language=fr')
  t.equal(
    (await server.get(`${path}/suggestions?language=fr`, acme.key, { 'if-none-match': headers.etag! })).status,
    304,
  )
})

t.test('follows its key through renamings, deletions, restores and undos', async t => {
  const web = await project('follows')
  const places = async () =>
    (await listed(web)).map((one: Record<string, string>) => `${one.language}/${one.namespace}/${one.key}`)
  const newest = () => scene.server.newest(scene.acme.id)
  const undo = async (revision?: string) => must('POST', `${web}/revert`, { revision: revision ?? (await newest()) })
  await suggest(web, 'home', 'Start')
  await must('POST', `${web}/rename-key`, { namespace: 'common', from: 'home', to: 'start' })
  t.strictSame(await places(), ['de/common/start'])
  const kept = await newest()
  await must('POST', `${web}/rename-namespace`, { from: 'common', to: 'shared' })
  t.strictSame(await places(), ['de/shared/start'])
  const second = await newest()
  await must('POST', `${web}/rename-language`, { from: 'de', to: 'de-AT' })
  t.strictSame(await places(), ['de-AT/shared/start'])
  await undo()
  t.strictSame(await places(), ['de/shared/start'])
  await undo(second)
  t.strictSame(await places(), ['de/common/start'])
  await must('PATCH', web, { defaultFormat: 'i18next-json-flat' })
  t.strictSame(await places(), ['de/common/start'])
  await must('POST', `${web}/delete-key`, { namespace: 'common', key: 'start' })
  t.strictSame(await places(), [])
  await must('POST', `${web}/restore`, { at: kept })
  t.strictSame(await places(), ['de/common/start'], 'it returns with its key')
  await must('PUT', `${web}/bundles/de/common?prune=true`, { hello: 'x' })
  t.strictSame(await places(), [])
  await undo()
  t.strictSame(await places(), ['de/common/start'])
  await suggest(web, 'hello', 'Hallo {{name}}')
  await undo()
  t.strictSame(await places(), ['de/common/start'], 'an undo of a suggestion')
  await must('DELETE', web)
  await project('follows')
  t.strictSame(await places(), [], 'it goes with its project')
})

t.test('checks a file that a person edits', { skip: severalFolders }, async t => {
  const { server, acme } = scene
  const path = await project('edited')
  await suggest(path, 'home', 'Start')
  await server.newest(acme.id)
  const file = join(server.repository(acme.id), 'edited/suggestions/de/common.json')
  const isClean = () => server.git(acme.id, 'status', '--porcelain', 'edited') === ''
  await eventually(isClean)
  const { home } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ home: [{ ...home[0], message: 'Anders' }] }))
  await eventually(async () => (await listed(path))[0].message === 'Anders')
  await server.newest(acme.id)
  await eventually(isClean)
  writeFileSync(file, JSON.stringify({ home: [{ ...home[0], by: 'x\n' }] }))
  const health = async () => (await server.get('/api/health', acme.key)).json
  await eventually(async () => (await health()).problems === 1)
  t.match(await health(), { files: [{ path: 'edited/suggestions/de/common.json', error: /"by" / }] })
  t.equal((await listed(path))[0].message, 'Anders', 'it changes nothing')
})
