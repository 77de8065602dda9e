/** Approvals over HTTP: what is approved, what returns, what each write does to approvals, and who may change them. */
import t from 'tap'
import { textDigest } from '../../src/bundle/text-digest.ts'
import { openScene, runRows, type Scene, type Session } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const must = (method: string, path: string, body?: unknown) =>
  scene.server.must(method, path, { key: scene.acme.key, ...(body !== undefined && { body: body as object }) })
const get = async (path: string) => (await scene.server.get(path, scene.acme.key)).json
const newest = () => scene.server.newest(scene.acme.id)
const approve = (web: string, more: object = {}) => must('POST', `${web}/approve`, { language: 'de', ...more })
const unapprove = (web: string, more: object = {}) => must('POST', `${web}/unapprove`, { language: 'de', ...more })
const put = (web: string, language: string, key: string, value: string) =>
  must('PUT', `${web}/bundles/${language}/common/${key}`, { value })

/** A project with two namespaces. */
async function project(slug: string) {
  await scene.server.project(scene.acme.key, slug)
  const web = `/api/projects/${slug}`
  await must('PUT', `${web}/bundles/en/common`, { a: 'One', b: 'Two', c: 'Three' })
  await must('PUT', `${web}/bundles/de/common`, { a: 'Eins', b: '', extra: 'Mehr' })
  await must('PUT', `${web}/bundles/en/shop`, { n_one: '{{count}} cart', n_other: '{{count}} carts' })
  await must('PUT', `${web}/bundles/de/shop`, { n_one: '{{count}} Korb', n_other: '{{count}} Körbe' })
  return web
}

/** The keys that are listed by a filter, and the number of approved ones. */
async function listed(web: string, is: string, language = 'de'): Promise<string[]> {
  const { keys } = await get(`${web}/status/keys?language=${language}&is=${is}`)
  return keys.map(({ key }: { key: string }) => key)
}
const approvedKeys = (web: string, language?: string) => listed(web, 'approved', language)
async function counted(web: string): Promise<number> {
  const { languages } = await get(`${web}/status?language=de`)
  return languages[0].approved
}

t.test('approves keys, a bundle and a language in one commit each, and changes no bundle', async t => {
  const web = await project('parts')
  const { etag } = (await must('GET', `${web}/bundles/de/common`)).headers
  const one = await approve(web, { namespace: 'common', keys: ['a', 'b', 'c', 'a'] })
  t.match(one.json, { approved: 1, revision: await newest() })
  t.strictSame(one.json.skipped, [
    { namespace: 'common', key: 'b', why: 'empty' },
    { namespace: 'common', key: 'c', why: 'missing' },
  ])
  t.strictSame(await approvedKeys(web), ['a'])
  t.equal((await get(`${web}/history?limit=1`)).revisions[0].subject, 'parts de/common: approve a')
  t.strictSame(await listed(web, 'unapproved'), ['extra', 'n'], 'no empty text')
  t.equal((await approve(web)).json.approved, 2)
  t.equal((await get(`${web}/history?limit=1`)).revisions[0].subject, 'parts de: approve 2 keys')
  t.strictSame(await approvedKeys(web), ['a', 'extra', 'n'])
  t.strictSame(await listed(web, 'unapproved'), [])
  t.equal(await counted(web), 2, 'extra keys are not counted')
  t.equal((await must('GET', `${web}/bundles/de/common`)).headers.etag, etag)
  t.match((await get(`${web}/context/de/shop/n`)).approved, { by: { name: String }, at: String })
  t.strictSame((await get(`${web}/context/de/common/b`)).approved, null)
  t.match((await unapprove(web, { namespace: 'common', keys: ['a', 'b'] })).json, {
    unapproved: 1,
    skipped: [{ key: 'b', why: 'unapproved' }],
  })
  t.strictSame(await approvedKeys(web), ['extra', 'n'])
  t.equal((await unapprove(web)).json.unapproved, 2)
  t.strictSame(await approvedKeys(web), [])
})

t.test('accepts as many names as the document says', async t => {
  const web = await project('names')
  const keys = Array.from({ length: 10_000 }, (_, at) => `unknown.${at}`)
  const { json } = await approve(web, { namespace: 'common', keys: ['a', ...keys.slice(1)] })
  t.match(json, { approved: 1, skipped: { length: 9_999 } })
  const confirmed = await must('POST', `${web}/confirm`, { language: 'de', namespace: 'common', keys })
  t.equal(confirmed.json.confirmed, 0)
})

t.test('commits nothing when nothing changes', async t => {
  const web = await project('nothing')
  const before = await newest()
  t.match((await unapprove(web)).json, { unapproved: 0, skipped: [], revision: before })
  await approve(web, { namespace: 'common' })
  const after = await newest()
  t.not(after, before)
  t.match((await approve(web, { namespace: 'common', keys: ['a'] })).json, {
    ...{ approved: 0, skipped: [{ key: 'a', why: 'approved' }], revision: after },
  })
  t.equal(await newest(), after)
})

t.test('an approval holds for its text and source alone', async t => {
  const web = await project('holds')
  await approve(web, { namespace: 'common', keys: ['a'] })
  const steps: [language: string, text: string, isApproved: boolean][] = [
    ['de', 'Einer', false],
    ['de', 'Eins', true],
    ['en', 'Uno', false],
    ['en', 'One', true],
  ]
  for (const [language, text, isApproved] of steps) {
    await put(web, language, 'a', text)
    t.strictSame(await approvedKeys(web), isApproved ? ['a'] : [], text)
    t.equal(await counted(web), isApproved ? 1 : 0, text)
  }
})

t.test('approvals follow their keys', async t => {
  const web = await project('follow')
  await approve(web, { namespace: 'common', keys: ['a'] })
  const then = await newest()
  const revert = async () => must('POST', `${web}/revert`, { revision: await newest() })
  await must('POST', `${web}/rename-key`, { namespace: 'common', from: 'a', to: 'z' })
  t.strictSame(await approvedKeys(web), ['z'], 'a renamed key')
  await revert()
  await must('POST', `${web}/rename-language`, { from: 'de', to: 'nl' })
  t.strictSame(await approvedKeys(web, 'nl'), ['a'], 'a renamed language')
  await revert()
  await must('POST', `${web}/rename-namespace`, { from: 'common', to: 'other' })
  t.strictSame(await approvedKeys(web), ['a'], 'a renamed namespace')
  await revert()
  await must('PATCH', web, { defaultFormat: 'i18next-json-flat' })
  t.strictSame(await approvedKeys(web), ['a'], 'another format')
  await must('POST', `${web}/delete-key`, { namespace: 'common', key: 'a' })
  await put(web, 'en', 'a', 'One')
  await put(web, 'de', 'a', 'Eins')
  t.strictSame(await approvedKeys(web), [], 'a deleted key')
  await must('POST', `${web}/restore`, { at: then, language: 'de' })
  t.strictSame(await approvedKeys(web), ['a'], 'a restore')
})

t.test('refuses what it cannot approve', async t => {
  const web = await project('refusals')
  const { key } = scene.acme
  const row = (name: string, status: number, body: object, sending: object = {}) => ({
    ...{ name, method: 'POST', path: `${web}/approve`, status, key },
    ...{ body: { language: 'de', namespace: 'common', keys: ['a'], ...body }, ...sending },
  })
  const before = await newest()
  await runRows(t, scene.server, [
    row('the source language', 400, { language: 'en' }),
    row('keys without a namespace', 400, { namespace: undefined }),
    row('no keys', 400, { keys: [] }),
    row('an empty key', 400, { keys: [''] }),
    row('a missing namespace', 404, { namespace: 'none' }),
    row('a missing language', 404, { language: 'fr', namespace: undefined, keys: undefined }),
    row('an unknown member', 400, { why: 'x' }),
    row('If-Match', 400, {}, { headers: { 'if-match': '*' } }),
    row('a stale tag', 412, { expected: { 'de/common': '"0"' } }),
    row('a reader', 403, {}, { key: scene.reader }),
    row('another organization', 404, {}, { key: scene.other.key }),
    row('a key named like a prototype', 200, { keys: ['__proto__'] }),
  ])
  t.equal(await newest(), before)
})

t.test('a change of approvals needs the right to review, whichever route it is', async t => {
  const web = await project('rights')
  const { server, acme } = scene
  const tokenOf = async (may: string) => {
    const body = { name: may, rights: [{ languages: ['*'], may }] }
    return (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json.key
  }
  const [translator, reviewer] = [await tokenOf('translate'), await tokenOf('review')]
  const status = async (key: string, method: string, path: string, body: object) =>
    (await server.call(method, `${web}${path}`, { key, body })).status
  const keys = { language: 'de', namespace: 'common', keys: ['a'] }
  const start = await newest()
  t.equal(await status(translator, 'POST', '/approve', keys), 403)
  t.equal(await status(reviewer, 'POST', '/approve', keys), 200)
  const approved = await newest()
  t.equal(await status(translator, 'POST', '/unapprove', keys), 403)
  t.equal(await status(translator, 'POST', '/revert', { revision: approved }), 200, 'an undo')
  t.equal(await status(translator, 'POST', '/restore', { at: start, language: 'de' }), 200, 'a restore')
  t.strictSame(await approvedKeys(web), ['a'], 'neither changes an approval')
  const allowed: [path: string, body: object][] = [
    ['/rename-key', { namespace: 'common', from: 'a', to: 'z' }],
    ['/rename-key', { namespace: 'common', from: 'z', to: 'a' }],
    ['/rename-language', { from: 'de', to: 'nl' }],
    ['/rename-language', { from: 'nl', to: 'de' }],
    ['/delete-key', { namespace: 'common', key: 'a' }],
  ]
  for (const [path, body] of allowed) t.equal(await status(translator, 'POST', path, body), 200, path)
  t.equal(await status(translator, 'POST', '/revert', { revision: await newest() }), 200, 'an undone deletion')
  t.strictSame(await approvedKeys(web), ['a'], 'its approval is back')
  t.equal(await status(reviewer, 'POST', '/unapprove', keys), 200)
  t.equal(await status(translator, 'POST', '/restore', { at: approved, language: 'de' }), 200)
  t.strictSame(await approvedKeys(web), [])
})

t.test('stores the digest and no address', async t => {
  const web = await project('file')
  await approve(web)
  await scene.server.sealed(scene.acme.id)
  const file = scene.server.git(scene.acme.id, 'show', 'HEAD:file/marks/de/common.json')
  t.match(JSON.parse(file), { a: { approved: { of: textDigest('One', 'Eins') } } })
  t.notMatch(file, '@')
})

t.test('with four eyes, the last author of a text does not approve it', async t => {
  const { server, acme, admin, member } = scene
  const path = await server.project(acme.key, 'eyes')
  const must = (method: string, to: string, body: object, as = acme.owner) =>
    server.must(method, `${path}${to}`, { as, body })
  await must('PUT', '/bundles/en/common', { a: 'A', b: 'B', c: 'C' })
  await must('PUT', '/bundles/de/common', { a: 'a', b: 'b', c: 'c' }, member)
  await must('PUT', '/bundles/de/common/b', { value: 'b2' }, admin)
  await must('PATCH', '', { review: { de: { fourEyes: true } } })
  const approve = async (as: Session, keys?: string[]) => {
    const body = { language: 'de', ...(keys && { namespace: 'common', keys }) }
    const { approved, skipped } = (await must('POST', '/approve', body, as)).json
    return [approved, skipped.map(({ key, why }: Record<string, string>) => `${key} ${why}`)]
  }
  t.strictSame(await approve(member, ['a', 'b']), [1, ['a own']])
  t.strictSame(await approve(admin), [2, []], 'the one that is approved already is not named')
  await must('POST', '/unapprove', { language: 'de' })
  t.strictSame(await approve(member), [1, ['a own', 'c own']], 'a batch names them')
  const approving = (await server.get(`${path}/history?limit=1`, acme.key)).json.revisions[0].revision
  await must('POST', '/unapprove', { language: 'de' }, acme.owner)
  const withdrawn = (await server.get(`${path}/history?limit=1`, acme.key)).json.revisions[0].revision
  await must('POST', '/revert', { revision: withdrawn }, admin)
  const count = async () => (await server.get(`${path}/status?language=de`, acme.key)).json.languages[0].approved
  t.equal(await count(), 0, 'an undo approves nothing')
  await must('POST', '/restore', { at: approving }, admin)
  t.equal(await count(), 0, 'nor does a restore')
  await must('PATCH', '', { review: { de: { fourEyes: false } } })
  t.strictSame(await approve(member), [3, []])
})
