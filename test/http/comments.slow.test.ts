/** Comments on keys: routes, rights, and how a thread follows its key. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { eventually, type Session, severalFolders } from '../contract/server.ts'
import { EventClient } from './event-client.ts'
import { openScene, type Row, runRows, type Scene, type Sending } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const EMPTY = 'W/"0967ef424bce6791893e9a57bb952f80fd536e93"'

/** A project with texts in two languages. */
async function project(slug: string): Promise<string> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  for (const language of ['en', 'de']) {
    const body = { home: `Home ${language}`, nav: { back: 'x' }, item_one: 'i', item_other: 'j' }
    await server.must('PUT', `${path}/bundles/${language}/common`, { key: acme.key, body })
  }
  return path
}

const must = (method: string, path: string, body?: object, as?: Session) =>
  scene.server.must(method, path, { ...(as ? { as } : { key: scene.acme.key }), ...(body && { body }) })
/** Comments on a key. @returns the id */
const comment = async (at: string, text: string, as?: Session): Promise<string> =>
  (await must('POST', at, { text }, as)).json.id
const textsOf = async (at: string): Promise<string[]> =>
  (await must('GET', at)).json.comments.map(({ text }: { text: string }) => text)
/** The texts of a namespace's comments by key. */
async function threads(path: string, namespace = 'common'): Promise<Record<string, string[]>> {
  const { keys } = (await must('GET', `${path}/comments/${namespace}`)).json
  const read = Object.keys(keys).map(async key => [key, await textsOf(`${path}/comments/${namespace}/${key}`)] as const)
  return Object.fromEntries(await Promise.all(read))
}
const newest = async (path: string): Promise<string> =>
  (await must('GET', `${path}/history?limit=1`)).json.revisions[0].revision
async function treeAt(revision: string, slug: string): Promise<string> {
  // Behind two nodes it may be at the other one until it is sealed.
  await scene.server.sealed(scene.acme.id)
  return scene.server.git(scene.acme.id, 'rev-parse', `${revision}:${slug}`)
}

t.test('writes, reads, resolves, changes and deletes a comment', async t => {
  const { server, acme, admin, member } = scene
  const web = await project('web')
  const at = `${web}/comments/common/home`
  const bundle = (await must('GET', `${web}/bundles/en/common`)).headers.etag
  const none = await must('GET', at)
  t.strictSame(none.json, { key: 'home', namespace: 'common', comments: [] })
  t.equal(none.headers.etag, EMPTY)
  const start = await newest(web)
  const before = await server.commits(acme.id)

  const text = ' @adam Is this a verb?\r\n@Mia too. '
  const posted = await server.must('POST', at, { as: member, body: { text, language: 'de' } })
  t.equal(posted.status, 201)
  const { id, at: time, mentions, ...rest } = posted.json
  t.match(id, /^[A-Za-z0-9_-]{12}$/)
  t.strictSame(rest, {
    ...{ key: 'home', namespace: 'common', language: 'de', text: '@adam Is this a verb?\n@Mia too.' },
    by: { id: member.user.id, name: 'Mia' },
  })
  t.strictSame(mentions, [admin.user.id, member.user.id])
  t.equal((await must('GET', `${web}/bundles/en/common`)).headers.etag, bundle, 'the bundle stays')
  const stored = { id, language: 'de', by: rest.by, at: time, text: rest.text }
  t.strictSame((await must('GET', at)).json, { key: 'home', namespace: 'common', comments: [stored] })
  t.strictSame((await must('GET', `${web}/comments/common`)).json, { keys: { home: { comments: 1, open: 1 } } })
  const live = await new EventClient(server.base, `/api/events?since=${start}`, { 'x-api-key': acme.key }).opened()
  t.teardown(() => live.close())
  await eventually(() => live.events.length === 1)
  t.match(live.events[0], { data: { project: 'web', subject: 'web common: comment on home', bundles: [] } })

  await server.commits(acme.id)
  const show = (what: string) => server.git(acme.id, 'show', '-s', `--format=${what}`, 'HEAD').trim()
  t.strictSame(show('%B').split('\n').filter(Boolean), [
    'web common: comment on home',
    'Parlance-Project: web',
    'Parlance-Namespace: common',
  ])
  const file = () => server.git(acme.id, 'show', 'HEAD:web/comments/common.json')
  t.equal(file(), `${JSON.stringify({ home: [stored] }, null, 2)}\n`)
  t.notMatch(file(), /@example\.com/, 'no e-mail address')

  const read = await server.get(at, acme.key)
  const unchanged = { 'if-none-match': read.headers.etag! }
  t.equal((await server.get(at, acme.key, unchanged)).status, 304)
  const resolved = await server.must('PATCH', `${at}/${id}`, { as: admin, body: { resolved: true } })
  t.strictSame(resolved.json, { key: 'home', namespace: 'common', ...stored, resolved: true, mentions })
  t.strictSame((await must('GET', `${web}/comments/common`)).json, { keys: { home: { comments: 1, open: 0 } } })
  await must('PATCH', `${at}/${id}`, { resolved: true })
  t.equal(await server.commits(acme.id), before + 2, 'an equal change is no commit')
  t.equal(show('%s'), 'web common: resolve a comment on home')
  await must('PATCH', `${at}/${id}`, { resolved: false })
  await server.must('PATCH', `${at}/${id}`, { as: member, body: { text: 'Is it?' } })
  t.strictSame((await must('GET', at)).json.comments, [{ ...stored, text: 'Is it?' }])
  t.strictSame((await must('GET', `${at}?at=${start}`)).json.comments, [], 'a past state')
  await server.must('DELETE', `${at}/${id}`, { as: member })
  t.strictSame((await must('GET', at)).json.comments, [])
  await server.commits(acme.id)
  t.strictSame(server.git(acme.id, 'log', '-3', '--format=%s').trim().split('\n'), [
    'web common: remove a comment on home',
    'web common: edit a comment on home',
    'web common: reopen a comment on home',
  ])
  t.equal(server.git(acme.id, 'ls-tree', 'HEAD', 'web/comments'), '', 'no empty file')
})

t.test('names a key by its form, and any name is a key', async t => {
  const at = `${await project('names')}/comments/common`
  await comment(`${at}/item_one`, 'A form names its key.')
  t.strictSame(await textsOf(`${at}/item_other`), ['A form names its key.'])
  for (const key of ['__proto__', 'constructor', 'a/b', 'not.there', 'ключ "x"']) {
    const path = `${at}/${encodeURIComponent(key)}`
    const id = await comment(path, key)
    await comment(path, 'second')
    t.strictSame(await textsOf(path), [key, 'second'], key)
    await must('PATCH', `${path}/${id}`, { resolved: true })
    const { text } = await must('GET', at)
    t.ok(text.includes(`${JSON.stringify(key)}:{"comments":2,"open":1}`), text)
    await must('DELETE', `${path}/${id}`)
    t.strictSame(await textsOf(path), ['second'])
  }
})

t.test('refuses bad input, other roles, and changes of another user', async t => {
  const { server, acme, admin, member, reader, other, stranger } = scene
  const path = await project('bad')
  const at = `${path}/comments`
  const home = `${at}/common/home`
  const { key: adder } = await server.mint(acme.owner, 'adder', 'add')
  const { key: limited } = await server.mint(acme.owner, 'limited', 'write', ['bad'])
  const { key: elsewhere } = await server.mint(acme.owner, 'elsewhere', 'write', ['web'])
  const [ofMember, ofToken] = [await comment(home, 'of Mia', member), await comment(home, 'of a token')]
  await comment(`${at}/other/x`, 'x')
  const row = (name: string, method: string, path: string, status: number, sending: Sending = {}): Row => {
    return { name, method, path, status, ...(sending.as || 'key' in sending ? {} : { key: acme.key }), ...sending }
  }
  const post = (name: string, body: unknown, status: number, sending: Sending = {}) =>
    row(name, 'POST', home, status, { body, ...sending })
  const nobody = { key: undefined } as unknown as Sending
  const text = { text: 'x' }
  const rows: Row[] = [
    ...(['GET', 'POST', 'PATCH', 'DELETE'] as const).flatMap(method => {
      const path = method === 'GET' || method === 'POST' ? home : `${home}/${ofMember}`
      const body = method === 'POST' ? { body: text } : method === 'PATCH' ? { body: { resolved: true } } : {}
      return [
        row(`${method} by nobody`, method, path, 401, { ...body, ...nobody }),
        row(`${method} in no organization`, method, path, 403, { ...body, as: stranger }),
        row(`${method} in another organization`, method, path, 404, { ...body, as: other.owner }),
        row(`${method} by its token`, method, path, 404, { ...body, key: other.key }),
        row(`${method} by a token of another project`, method, path, 404, { ...body, key: elsewhere }),
        row(`${method} by a token that reads`, method, path, method === 'GET' ? 200 : 403, { ...body, key: reader }),
        row(`${method} by a token that adds`, method, path, method === 'GET' ? 200 : 403, { ...body, key: adder }),
      ]
    }),
    row('numbers, by nobody', 'GET', `${at}/common`, 401, nobody),
    row('numbers, by a token that reads', 'GET', `${at}/common`, 200, { key: reader }),
    row('numbers, of another organization', 'GET', `${at}/common`, 404, { key: other.key }),
    post('a limited token', text, 201, { key: limited }),
    post('a member', text, 201, { as: member }),
    post('without a text', {}, 400),
    post('an empty text', { text: ' \n ' }, 422),
    post('a text of 4,000 characters', { text: '😀'.repeat(4000) }, 201),
    post('a text of more', { text: 'x'.repeat(4001) }, 422),
    post('a control character', { text: 'a\u0000b' }, 422),
    post('an escape sequence', { text: '\u001b[31m' }, 422),
    post('half a pair', `{"text":"\\ud800"}`, 422),
    post('no text at all', { text: 1 }, 400),
    post('an unknown field', { ...text, resolved: true }, 400),
    post('an author of their own', { ...text, by: { id: 'x', name: 'Boss' } }, 400),
    post('a bad language', { ...text, language: '../de' }, 400),
    post('a language that is missing', { ...text, language: 'fr' }, 404),
    row('a bad namespace', 'POST', `${at}/a%20b/home`, 400, { body: text }),
    row('a namespace that differs in case from a bundle', 'POST', `${at}/Common/home`, 409, { body: text }),
    row('a namespace that differs in case from comments', 'POST', `${at}/Other/home`, 409, { body: text }),
    row('an empty key', 'POST', `${at}/common/`, 400, { body: text }),
    row('a project that is missing', 'POST', '/api/projects/none/comments/common/home', 404, { body: text }),
    row('an unknown comment', 'PATCH', `${home}/none`, 404, { body: { resolved: true } }),
    row('a comment of another key', 'PATCH', `${at}/common/item/${ofMember}`, 404, { body: { resolved: true } }),
    row('a comment of another namespace', 'DELETE', `${at}/other/home/${ofMember}`, 404),
    row('no change', 'PATCH', `${home}/${ofMember}`, 400, { body: {} }),
    row('a bad change', 'PATCH', `${home}/${ofMember}`, 400, { body: { resolved: 1 } }),
    row('an empty change', 'PATCH', `${home}/${ofMember}`, 422, { body: { text: '' }, as: member }),
    row('the text of a member, by the owner', 'PATCH', `${home}/${ofMember}`, 403, { body: text, as: acme.owner }),
    row('the text of a member, by a token', 'PATCH', `${home}/${ofMember}`, 403, { body: text }),
    row('the text of a token, by a member', 'PATCH', `${home}/${ofToken}`, 403, { body: text, as: member }),
    row('a resolution by a member', 'PATCH', `${home}/${ofToken}`, 200, { body: { resolved: true }, as: member }),
    row('a comment of a token, by a member', 'DELETE', `${home}/${ofToken}`, 403, { as: member }),
    row('a comment of a token, by another token', 'DELETE', `${home}/${ofToken}`, 403, { key: limited }),
    row('a comment of a member, by a token', 'DELETE', `${home}/${ofMember}`, 403),
    row('a comment of a token, by an admin', 'DELETE', `${home}/${ofToken}`, 204, { as: admin }),
    row('a comment of a member, by the owner', 'DELETE', `${home}/${ofMember}`, 204, { as: acme.owner }),
    row('the same again', 'DELETE', `${home}/${ofMember}`, 404, { as: acme.owner }),
  ]
  await runRows(t, server, rows)
})

t.test('an admin who becomes a member deletes no comment of others any more', async t => {
  const { server, acme } = scene
  const at = `${await project('demoted')}/comments/common/home`
  const other = await server.join(acme, 'Dora', 'admin')
  const id = await comment(at, 'stays')
  const { members } = (await server.must('GET', '/api/auth/organization/get-full-organization', { as: acme.owner }))
    .json
  const memberId = members.find(({ userId }: { userId: string }) => userId === other.user.id).id
  const body = { memberId, role: 'member' }
  await server.must('POST', '/api/auth/organization/update-member-role', { as: acme.owner, body })
  t.equal((await server.call('DELETE', `${at}/${id}`, { as: other })).status, 403)
  t.strictSame(await textsOf(at), ['stays'])
})

t.test('comments at the same moment all stay', async t => {
  const { acme, admin, member } = scene
  const at = `${await project('race')}/comments/common`
  const first = await comment(`${at}/home`, 'first', member)
  const writers = [acme.owner, admin, member]
  const texts = Array.from({ length: 30 }, (_, nth) => `comment ${nth}`)
  await Promise.all([
    ...texts.map((text, nth) => comment(`${at}/${nth % 2 ? 'home' : 'item'}`, text, writers[nth % 3])),
    must('PATCH', `${at}/home/${first}`, { resolved: true }),
    must('PATCH', `${at}/home/${first}`, { text: 'changed' }, member),
  ])
  const all = [...(await textsOf(`${at}/home`)), ...(await textsOf(`${at}/item`))]
  t.strictSame(all.sort(), ['changed', ...texts].sort())
  t.equal((await must('GET', `${at}/home`)).json.comments[0].resolved, true)
})

t.test('follows a key through rename, deletion, restore, undo, format and project deletion', async t => {
  const slug = 'follow'
  const path = await project(slug)
  const at = `${path}/comments/common`
  for (const key of ['home', 'nav.back', 'item', 'later']) await comment(`${at}/${key}`, key)
  const keys = async () => Object.keys(await threads(path)).sort()
  const first = await newest(path)
  const tree = await treeAt(first, slug)
  t.strictSame(await keys(), ['home', 'item', 'later', 'nav.back'])

  await must('POST', `${path}/rename-key`, { namespace: 'common', from: 'home', to: 'start' })
  t.match(await threads(path), { start: ['home'], home: undefined })
  await must('POST', `${path}/revert`, { revision: await newest(path) })
  t.equal(await treeAt(await newest(path), slug), tree, 'an undo of the rename')

  await must('DELETE', `${path}/bundles/de/common/home`)
  t.ok((await keys()).includes('home'), 'a deletion in a translation leaves them')
  await must('DELETE', `${path}/bundles/en/common/home`)
  t.notOk((await keys()).includes('home'), 'a deletion in the source removes them')
  await must('POST', `${path}/restore`, { at: first, language: 'en', namespace: 'common', key: 'home' })
  t.ok((await keys()).includes('home'), 'a restore of the key in the source')
  await comment(`${at}/item`, 'said since')
  await must('POST', `${path}/restore`, { at: first })
  t.strictSame((await threads(path)).item, ['item', 'said since'], 'a restore leaves what people have said since')

  await must('POST', `${path}/delete-key`, { namespace: 'common', key: 'nav.back' })
  t.strictSame(await keys(), ['home', 'item', 'later'])
  const deletion = await newest(path)
  await must('PUT', `${path}/bundles/en/common?prune=true`, { home: 'Home' })
  t.strictSame(await keys(), ['home', 'later'], 'comments that wait for their key stay')
  await must('POST', `${path}/revert`, { revision: await newest(path) })
  await must('POST', `${path}/revert`, { revision: deletion })
  t.strictSame(await keys(), ['home', 'item', 'later', 'nav.back'], 'two undos')
  await must('PATCH', path, { defaultFormat: 'i18next-json-flat' })
  t.strictSame(await keys(), ['home', 'item', 'later', 'nav.back'])

  await comment(`${path}/comments/shared/home`, 'waits')
  await must('POST', `${path}/rename-namespace`, { from: 'common', to: 'shared' })
  t.match(await threads(path, 'shared'), { home: ['home', 'waits'], later: ['later'] }, 'both files are joined')
  t.strictSame(await threads(path), {})
  await must('POST', `${path}/revert`, { revision: await newest(path) })
  t.strictSame(await threads(path, 'shared'), { home: ['waits'] })
  await must('DELETE', `${path}/bundles/en/common`)
  t.strictSame(await keys(), ['later'])
  await must('DELETE', path)
  await scene.server.newest(scene.acme.id)
  t.equal(scene.server.git(scene.acme.id, 'ls-tree', 'HEAD', slug), '', 'nothing is left')
  await must('POST', `${path}/restore`, { at: first })
  t.strictSame(await keys(), ['home', 'item', 'later', 'nav.back'], 'a restore of the deleted project')
})

t.test('an undo removes one comment and leaves later ones', async t => {
  const path = await project('since')
  const at = `${path}/comments/common/home`
  await comment(at, 'one')
  const one = await newest(path)
  const id = await comment(at, 'two')
  await must('PATCH', `${at}/${id}`, { resolved: true })
  const resolving = await newest(path)
  await must('PATCH', `${at}/${id}`, { text: 'two, changed' })
  await must('POST', `${path}/revert`, { revision: one })
  t.strictSame(await textsOf(at), ['two, changed'])
  await must('POST', `${path}/revert`, { revision: resolving })
  t.match((await must('GET', at)).json.comments, [{ text: 'two, changed', resolved: undefined }])
})

t.test('a member with rights for some languages undoes own comments, and no one of others', async t => {
  const { server, acme } = scene
  const path = await project('limited')
  const at = `${path}/comments/common/home`
  const lea = await server.join(acme, 'Lea', 'member')
  await server.narrow(acme, lea, [{ languages: ['*'], may: 'read' }])
  const undo = (revision: string) => server.call('POST', `${path}/revert`, { as: lea, body: { revision } })
  const id = await comment(at, 'of the owner', acme.owner)
  const added = await newest(path)
  const refused = await undo(added)
  t.equal(refused.status, 403)
  t.match(refused.json.error, /comments of others in "common"/)
  await must('PATCH', `${at}/${id}`, { text: 'changed' }, acme.owner)
  t.equal((await undo(await newest(path))).status, 403, 'another text')
  await must('DELETE', `${at}/${id}`, undefined, acme.owner)
  t.equal((await undo(await newest(path))).status, 403, 'what its author deleted')
  t.strictSame(await textsOf(at), [])
  const own = await comment(at, 'own', lea)
  const written = await newest(path)
  await must('DELETE', `${at}/${own}`, undefined, lea)
  t.equal((await undo(await newest(path))).status, 200)
  t.strictSame(await textsOf(at), ['own'])
  t.equal((await undo(written)).status, 200)
  t.strictSame(await textsOf(at), [])
})

t.test('checks an external edit of comments, and merges it with new ones', { skip: severalFolders }, async t => {
  const { server, acme } = scene
  const path = await project('edited')
  const at = `${path}/comments/common`
  await comment(`${at}/home`, 'one')
  await server.newest(acme.id)
  const repository = server.repository(acme.id)
  const file = join(repository, 'edited/comments/common.json')
  const isClean = () => server.git(acme.id, 'status', '--porcelain', 'edited') === ''
  await eventually(isClean)
  const by = { id: 'x', name: 'Editor' }
  const two = { id: 'two', by, at: '2026-11-22T09:30:00.000Z', text: 'two' }
  const [one] = (await must('GET', `${at}/home`)).json.comments
  writeFileSync(file, JSON.stringify({ home: [one, two], item: [] }))
  await eventually(async () => (await textsOf(`${at}/home`)).length === 2)
  t.strictSame(await threads(path), { home: ['two', 'one'] }, 'in the order of their times')
  await server.newest(acme.id)
  await eventually(isClean)
  const head = await newest(path)
  writeFileSync(file, JSON.stringify({ home: [{ ...one, by: { ...by, email: 'ann@example.com' } }] }))
  const health = async () => (await server.get('/api/health', acme.key)).json
  await eventually(async () => (await health()).problems === 1)
  t.match(await health(), {
    files: [{ path: 'edited/comments/common.json', error: /"by" must have "id" and "name" alone/ }],
  })
  t.equal(await newest(path), head, 'it changes nothing')
  const three = await comment(`${at}/home`, 'three')
  writeFileSync(file, JSON.stringify({ home: [one, two, { ...two, id: 'four', text: 'four' }] }))
  await eventually(async () => (await textsOf(`${at}/home`)).includes('four'))
  t.strictSame(
    (await textsOf(`${at}/home`)).sort(),
    ['four', 'one', 'three', 'two'],
    'a comment written meanwhile stays',
  )
  t.ok(three)
  await eventually(async () => (await health()).problems === 0)
  const fresh = join(repository, 'edited/comments/fresh.json')
  mkdirSync(dirname(fresh), { recursive: true })
  writeFileSync(fresh, JSON.stringify({ a: [{ ...two, id: 'five' }] }))
  await eventually(async () => (await textsOf(`${path}/comments/fresh/a`)).length === 1)
})
