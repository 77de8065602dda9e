import t from 'tap'
import { admit, openAuth } from './open.ts'
import type { Visitor } from './visitor.ts'

t.test('a plain member cannot become an admin by the content of invitations', async t => {
  const { user } = await openAuth(t)
  const [ann, bob] = [await user('ann'), await user('bob')]
  const acme = await ann.found('acme')
  await admit(ann, bob, 'bob', 'member', acme)
  const { body } = await ann.post('/organization/invite-member', { email: 'carol@example.com', role: 'admin' })
  const paths = [
    'list-invitations',
    'get-full-organization',
    'list-user-invitations',
    'list-members',
    'get-organization',
  ]
  const queries = ['', `?organizationId=${acme}`, '?organizationSlug=acme']
  for (const path of paths) {
    for (const query of queries) {
      const seen = JSON.stringify((await bob.get(`/organization/${path}${query}`)).body)
      t.notOk(seen.includes('carol') || seen.includes(body.id), `${path}${query}`)
    }
  }
  t.equal((await bob.get('/organization/list-invitations')).status, 403)
  const full = await bob.get('/organization/get-full-organization')
  t.match(full, { status: 200, body: { id: acme, slug: 'acme', invitations: [] } })
  t.equal(full.body.members.length, 2, 'what members may see is left')

  t.match(await ann.get('/organization/list-invitations'), { status: 200, body: [{}, { id: body.id }] })
  t.equal((await ann.get('/organization/get-full-organization')).body.invitations.length, 2)
  t.equal((await ann.get('/organization/get-full-organization?organizationId=unknown')).status, 404)
})

t.test('an admin cannot promote to owner', async t => {
  const { auth, user } = await openAuth(t)
  const [ann, bob, eve] = [await user('ann'), await user('bob'), await user('eve')]
  const acme = await ann.found('acme')
  await admit(ann, bob, 'bob', 'admin', acme)
  const invite = (role: unknown) => bob.post('/organization/invite-member', { email: 'eve@example.com', role })
  for (const role of [
    'owner',
    'admin, owner',
    ' owner',
    'admin,owner',
    ['admin', ' owner'],
    ['owner'],
    'Owner',
    '',
    [],
  ]) {
    t.match(await invite(role), { status: /^40[03]$/, body: { error: String } }, JSON.stringify(role))
  }
  await admit(bob, eve, 'eve', 'admin', acme)
  const { members } = (await bob.get('/organization/list-members')).body
  const memberId = (role: string, name: string) =>
    members.find(
      (member: { role: string; user: { name: string } }) => member.role === role && member.user.name === name,
    )?.id
  const setRole = (who: Visitor, id: string, role: unknown) =>
    who.post('/organization/update-member-role', { memberId: id, role })
  for (const role of ['owner', ' owner', 'admin, owner', ['owner']]) {
    t.equal((await setRole(bob, memberId('admin', 'eve'), role)).status, 403, JSON.stringify(role))
  }
  t.equal((await setRole(bob, memberId('owner', 'ann'), 'member')).status, 403)
  t.equal((await bob.post('/organization/remove-member', { memberIdOrEmail: 'ann@example.com' })).status, 400)
  t.same((await auth.session(eve.headers))?.organization, { id: acme, role: 'admin' })

  t.equal((await setRole(ann, memberId('admin', 'eve'), ['admin', 'member'])).status, 200)
  t.equal((await auth.session(eve.headers))?.organization?.role, 'admin', 'joined roles count as the strongest')
  t.equal((await setRole(ann, memberId('admin', 'eve'), 'member')).status, 200)
  t.equal((await auth.session(eve.headers))?.organization?.role, 'member', 'at the next request')
  t.equal((await eve.post('/organization/remove-member', { memberIdOrEmail: 'bob@example.com' })).status, 403)
  t.equal((await eve.post('/organization/invite-member', { email: 'x@example.com', role: 'member' })).status, 403)
  t.equal((await setRole(eve, memberId('admin', 'eve'), 'admin')).status, 403)
})

t.test('an invitation is worth what its maker may still do', async t => {
  const { user } = await openAuth(t)
  const [ann, bob, eve] = [await user('ann'), await user('bob'), await user('eve')]
  const acme = await ann.found('acme')
  await admit(ann, bob, 'bob', 'admin', acme)
  const { body } = await bob.post('/organization/invite-member', { email: 'eve@example.com', role: 'admin' })
  const accept = () => eve.post('/organization/accept-invitation', { invitationId: body.id })
  const bobs = (await bob.get('/organization/get-active-member')).body
  await ann.post('/organization/update-member-role', { memberId: bobs.id, role: 'member' })
  t.match(await accept(), { status: 400, body: { code: 'INVITATION_NOT_FOUND' } }, 'demoted')
  await ann.post('/organization/remove-member', { memberIdOrEmail: 'bob@example.com' })
  t.match(await accept(), { status: 400, body: { code: 'INVITATION_NOT_FOUND' } }, 'removed')
  await admit(ann, bob, 'bob', 'admin', acme)
  t.equal((await accept()).status, 200, 'and an admin again')
})

t.test('who is a member already does not join again', async t => {
  const { user, sql } = await openAuth(t)
  const [ann, bob] = [await user('ann'), await user('bob')]
  const acme = await ann.found('acme')
  const { body } = await ann.post('/organization/invite-member', { email: 'bob@example.com', role: 'admin' })
  await admit(ann, bob, 'bob', 'member', acme)
  sql(`update invitation set status = 'pending' where id = ?`, body.id)
  t.match(await bob.post('/organization/accept-invitation', { invitationId: body.id }), {
    status: 400,
    body: { code: 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION' },
  })
})

t.test('the environment decides nothing', async t => {
  const before = { ...process.env }
  t.teardown(() => {
    process.env = before
  })
  Object.assign(process.env, {
    BASE_URL: 'https://elsewhere.test/app',
    BETTER_AUTH_URL: 'https://elsewhere.test/app',
    BETTER_AUTH_SECRETS: `7:${'x'.repeat(40)}`,
    BETTER_AUTH_TRUSTED_ORIGINS: 'https://evil.test',
    NODE_ENV: 'test',
    TEST: 'true',
  })
  const { auth, user } = await openAuth(t)
  const ann = await user('ann')
  t.match(await ann.get('/get-session'), { status: 200, body: { user: { name: 'ann' } } })
  t.ok(await auth.session(ann.headers))
  for (const origin of ['https://evil.test', 'https://elsewhere.test']) {
    t.equal((await ann.post('/update-user', { name: 'A' }, { origin })).status, 403, origin)
  }
})
