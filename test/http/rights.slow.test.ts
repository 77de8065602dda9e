import t, { type Test } from 'tap'
import type { LanguageRights } from '../../src/auth/rights.ts'
import { random } from '../random.ts'
import { isError as isErrorOf, openScene, type Reply, runRows, type Scene } from './server.ts'

/** Further members of refusals under `/api/auth`. */
const OF_ACCOUNTS = ['code', 'message']

const isError = (t: Test, reply: Reply, status: number) =>
  isErrorOf(t, reply, status, `is refused with ${status}`, OF_ACCOUNTS)

const german: LanguageRights = [{ projects: ['web'], languages: ['de'], may: 'translate' }]

async function withProject(t: Test): Promise<Scene & { web: string; membership: string }> {
  const scene = await openScene(t)
  const { server, acme, member } = scene
  const web = await server.project(acme.key, 'web')
  for (const language of ['en', 'de', 'fr'])
    await server.put(`${web}/bundles/${language}/common`, acme.key, { hello: `hello ${language}`, bye: language })
  return { ...scene, web, membership: await server.membership(acme, member) }
}

t.test('sets and removes the rights of a member', async t => {
  const { server, acme, admin, member, reader, other, stranger, web, membership } = await withProject(t)
  const path = `/api/members/${membership}/rights`
  const given = [{ may: 'translate', languages: ['de', 'de'], projects: ['web'] }]
  const refused = { method: 'PUT', path, body: { rights: german } }
  await runRows(t, server, [
    { ...refused, name: 'a member', status: 403, as: member },
    { ...refused, name: 'a stranger', status: 403, as: stranger },
    { ...refused, name: 'a token', status: 403, key: acme.key },
    { ...refused, name: 'a reader', status: 403, key: reader },
    { ...refused, name: 'another organization', status: 404, as: other.owner, body: { rights: null } },
    { ...refused, name: 'an unknown membership', status: 404, path: '/api/members/x/rights', as: acme.owner },
    { ...refused, name: 'no rights', status: 400, as: acme.owner, body: {} },
    { ...refused, name: 'an empty list', status: 400, as: acme.owner, body: { rights: [] } },
    {
      ...refused,
      name: 'an unknown project',
      status: 400,
      as: acme.owner,
      body: { rights: [{ projects: ['wep'], languages: ['*'], may: 'read' }] },
      check: ({ json }, t) => t.match(json.error, '"rights" names what is no project: "wep"'),
    },
    {
      ...refused,
      name: 'an owner',
      status: 409,
      path: `/api/members/${await server.membership(acme, acme.owner)}/rights`,
      as: admin,
      check: ({ json }, t) => t.match(json.error, 'the role owner, which no rights narrow'),
    },
    {
      ...refused,
      name: 'an admin sets them',
      status: 200,
      as: admin,
      body: { rights: given },
      check: ({ json }, t) => t.same(json, { id: membership, rights: german }),
    },
  ])
  const listed = async () => {
    const { members } = (await server.must('GET', '/api/auth/organization/list-members', { as: member })).json
    return members.find(({ id }: { id: string }) => id === membership).rights
  }
  t.same(await listed(), german)
  const full = await server.must('GET', '/api/auth/organization/get-full-organization', { as: member })
  t.same(full.json.members.find(({ id }: { id: string }) => id === membership).rights, german)
  t.same((await server.call('GET', '/api/whoami', { as: member })).json.rights, german)
  isError(t, await server.call('PUT', `${web}/bundles/fr/common/hello`, { as: member, body: { value: 'x' } }), 403)
  await server.must('PUT', `${web}/bundles/de/common/hello`, { as: member, body: { value: 'x' } })
  await server.must('PUT', path, { as: acme.owner, body: { rights: null } })
  t.equal(await listed(), null)
  t.notOk('rights' in (await server.call('GET', '/api/whoami', { as: member })).json)
  await server.must('PUT', `${web}/bundles/fr/common/hello`, { as: member, body: { value: 'x' } })
})

t.test('a role above member is not narrowed, and the rights return with the role', async t => {
  const { server, acme, member, web, membership } = await withProject(t)
  await server.narrow(acme, member, german)
  const role = (role: string) =>
    server.must('POST', '/api/auth/organization/update-member-role', {
      as: acme.owner,
      body: { memberId: membership, role },
    })
  const write = (value: string) => server.call('PUT', `${web}/bundles/fr/common/hello`, { as: member, body: { value } })
  await role('admin')
  t.notOk('rights' in (await server.call('GET', '/api/whoami', { as: member })).json)
  t.equal((await write('as admin')).status, 200)
  await role('member')
  isError(t, await write('as member'), 403)
})

t.test('a membership gets the rights of its invitation', async t => {
  const { server, acme, web } = await withProject(t)
  const invite = (body: object) => server.call('POST', '/api/auth/organization/invite-member', { as: acme.owner, body })
  const email = 'gerda@example.com'
  isError(t, await invite({ email, role: 'member', rights: [] }), 400)
  isError(t, await invite({ email, role: 'member', rights: [{ languages: ['de'], may: 'write' }] }), 400)
  const above = await invite({ email, role: 'admin', rights: german })
  isError(t, above, 400)
  t.match(above.json.error, 'No rights narrow the role admin')
  const mistyped = await invite({ email, role: 'member', rights: [{ ...german[0], projects: ['web', 'wbe'] }] })
  isError(t, mistyped, 400)
  t.match(mistyped.json.error, '"rights" names what is no project: "wbe"')
  const made = await invite({ email, role: 'member', rights: german })
  t.same([made.status, made.json.rights], [200, german])
  isError(t, await invite({ email, role: 'member', rights: german, resend: true }), 400)
  const list = await server.must('GET', '/api/auth/organization/list-invitations', { as: acme.owner })
  t.same(list.json.find(({ id }: { id: string }) => id === made.json.id).rights, german)
  const gerda = await server.signUp('Gerda', email)
  const accepted = await server.accept(gerda, made.json.id)
  t.same(accepted.json.member.rights, german)
  await server.activate(gerda, acme.id)
  t.same((await server.call('GET', '/api/whoami', { as: gerda })).json.rights, german)
  isError(t, await server.call('PUT', `${web}/bundles/fr/common/hello`, { as: gerda, body: { value: 'x' } }), 403)
  const free = await server.join(acme, 'Fred', 'member')
  t.notOk('rights' in (await server.call('GET', '/api/whoami', { as: free })).json, 'an invitation without rights')
})

t.test('a token has rights for life', async t => {
  const { server, acme, web } = await withProject(t)
  const mint = (body: object) =>
    server.call('POST', '/api/tokens', { as: acme.owner, body: { name: 'agency', ...body } })
  isError(t, await mint({ rights: [] }), 400)
  isError(t, await mint({ rights: [{ projects: ['wep'], languages: ['*'], may: 'read' }] }), 400)
  const { key, rights } = (await mint({ rights: german })).json
  t.same(rights, german)
  t.same((await server.get('/api/whoami', key)).json.rights, german)
  t.match((await server.call('GET', '/api/tokens', { as: acme.owner })).json.tokens, [{ rights: german }])
  const refused = await server.put(`${web}/bundles/fr/common?overwrite=true`, key, { hello: 'x' })
  isError(t, refused, 403)
  t.equal(refused.json.error, 'This API token has no right to translate "fr" in project "web".')
  t.equal((await server.put(`${web}/bundles/de/common?overwrite=true`, key, { hello: 'x' })).status, 200)
  t.equal(
    (await server.put(`${web}/bundles/fr/common`, key, { hello: 'hello fr', bye: 'fr' })).status,
    200,
    'no change',
  )
})

t.test('saveMissing adds only in the languages of the token', async t => {
  const { server, acme, web } = await withProject(t)
  const rights = [{ languages: ['en'], may: 'translate' }]
  const body = { name: 'app', scope: 'add', rights }
  const { key } = (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json
  isError(t, await server.post(`${web}/bundles/de/common`, key, { fresh: 'x' }), 403)
  t.equal((await server.post(`${web}/bundles/en/common`, key, { fresh: 'x' })).status, 200)
})

t.test('refuses a push as a whole, and a dry run likewise', async t => {
  const { server, acme, member, web } = await withProject(t)
  await server.narrow(acme, member, german)
  const bundles = Object.fromEntries(['de', 'en', 'fr', 'it'].map(language => [language, { common: { hello: 'new' } }]))
  const before = (await server.get(`${web}/history`, acme.key)).text
  for (const query of ['?overwrite=true', '?overwrite=true&dryRun=true']) {
    const reply = await server.call('POST', `${web}/push${query}`, { as: member, body: { bundles } })
    isError(t, reply, 403)
    t.match(reply.json.error, 'no right to translate "en", "fr", "it" in project "web"')
  }
  t.equal((await server.get(`${web}/history`, acme.key)).text, before)
  const own = await server.call('POST', `${web}/push`, { as: member, body: { bundles: { de: bundles.de } } })
  t.equal(own.status, 200)
  const notes = { common: { hello: { note: 'A greeting' } } }
  const noted = await server.call('POST', `${web}/push`, { as: member, body: { bundles: {}, notes } })
  isError(t, noted, 403)
  t.match(noted.json.error, '"en"', 'notes need the source language')
})

t.test('what follows from a write needs no right of its own', async t => {
  const { server, acme, member, web } = await withProject(t)
  await server.narrow(acme, member, [{ languages: ['en'], may: 'translate' }])
  await server.must('PUT', `${web}/notes/common/hello`, { key: acme.key, body: { note: 'A greeting' } })
  await server.must('PUT', `${web}/bundles/en/common/hello`, { as: member, body: { value: 'changed' } })
  const stale = async () => (await server.get(`${web}/status?language=de`, acme.key)).text
  t.match(await stale(), /"stale":1/, 'its translations are stale')
  const body = { language: 'de', namespace: 'common', keys: ['hello'] }
  const refused = await server.call('POST', `${web}/confirm`, { as: member, body })
  isError(t, refused, 403)
  t.match(refused.json.error, '"de"', 'only who may write German confirms it')
  await server.must('DELETE', `${web}/bundles/en/common/hello`, { as: member })
  isError(
    t,
    await server.call('POST', `${web}/delete-key`, { as: member, body: { namespace: 'common', key: 'bye' } }),
    403,
  )
})

t.test('undoes and restores only in the languages of the caller', async t => {
  const { server, acme, member, web } = await withProject(t)
  await server.narrow(acme, member, german)
  const push = (hello: string) =>
    server.must('POST', `${web}/push?overwrite=true`, {
      key: acme.key,
      body: { bundles: { de: { common: { hello } }, fr: { common: { hello } } } },
    })
  await push('first')
  const first = (await server.get(`${web}/history`, acme.key)).json.revisions[0].revision
  await push('second')
  const { revision } = (await server.get(`${web}/history`, acme.key)).json.revisions[0]
  const undo = await server.call('POST', `${web}/revert`, { as: member, body: { revision } })
  isError(t, undo, 403)
  t.match(undo.json.error, '"fr"')
  isError(t, await server.call('POST', `${web}/restore`, { as: member, body: { at: first } }), 403)
  const ofGerman = { at: first, language: 'de' }
  t.equal((await server.call('POST', `${web}/restore`, { as: member, body: ofGerman })).status, 200)
})

t.test('records rights in the audit trail', async t => {
  const { server, acme, member } = await withProject(t)
  await server.narrow(acme, member, german)
  await server.narrow(acme, member, german)
  await server.narrow(acme, member, null)
  await server.must('POST', '/api/tokens', { as: acme.owner, body: { name: 'agency', rights: german } })
  const { entries } = (await server.must('GET', '/api/audit?what=rights-changed', { as: acme.owner })).json
  const stored = JSON.stringify(german)
  t.match(entries, [
    { about: { type: 'token', name: 'agency' }, from: null, to: stored },
    { about: { type: 'user', name: member.user.email }, from: stored, to: null },
    { about: { type: 'user', id: member.user.id }, from: null, to: stored, who: { id: acme.owner.user.id } },
  ])
  t.equal(entries.length, 3, 'equal rights are no change')
})

t.test('no rights in a deleted project pass on to the next one of its slug', async t => {
  const { server, acme, member, web } = await withProject(t)
  await server.narrow(acme, member, [...german, { languages: ['fr'], may: 'translate' }])
  const rights = [{ projects: ['web'], languages: ['*'], may: 'translate' }]
  const { key } = (await server.must('POST', '/api/tokens', { as: acme.owner, body: { name: 'x', rights } })).json
  await server.must('DELETE', web, { key: acme.key })
  await server.project(acme.key, 'web')
  t.same((await server.call('GET', '/api/whoami', { as: member })).json.rights, [
    { languages: ['fr'], may: 'translate' },
  ])
  t.same((await server.get('/api/whoami', key)).json.rights, [{ languages: ['*'], may: 'read' }])
})

t.test('after the answer no write without the new rights succeeds', async t => {
  const { server, acme, member, web } = await withProject(t)
  let written = 0
  let refused = 0
  for (let round = 0; round < 8; round++) {
    await server.narrow(acme, member, null)
    const writes = Array.from({ length: 40 }, (_, n) =>
      server.call('PUT', `${web}/bundles/fr/common/key${n}`, { as: member, body: { value: `${round} ${n}` } }),
    )
    await Promise.all(writes.slice(0, Math.trunc(random() * 20)))
    await server.narrow(acme, member, german)
    const at = (await server.get(`${web}/history?limit=1`, acme.key)).text
    for (const { status, json } of await Promise.all(writes)) {
      if (status === 200) written++
      else if (status === 403 && /"fr"/.test(json.error)) refused++
      else t.fail(`unexpected ${status} ${JSON.stringify(json)}`)
    }
    t.equal((await server.get(`${web}/history?limit=1`, acme.key)).text, at, 'no commit came later')
  }
  t.ok(written > 0, 'some were written before')
  t.comment(`${written} written, ${refused} refused`)
})
