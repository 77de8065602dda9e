import t from 'tap'
import { admit, openAuth } from './open.ts'
import type { Visitor } from './visitor.ts'

const invite = async (who: Visitor, name: string, role = 'member') =>
  (await who.post('/organization/invite-member', { email: `${name}@example.com`, role })).body
const accept = (who: Visitor, invitationId: string) => who.post('/organization/accept-invitation', { invitationId })
const look = (who: Visitor, id: string) => who.get(`/organization/get-invitation?id=${id}`)
const withdraw = (who: Visitor, invitationId: unknown) => who.post('/organization/cancel-invitation', { invitationId })

t.test('an invitation says how long it works, and afterwards that it expired', async t => {
  const { user, visitor, sql } = await openAuth(t, { signUp: 'invite' })
  const ann = await user('ann')
  await ann.found('acme')
  const { id, expiresAt } = await invite(ann, 'bob')
  const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000
  t.ok(days > 6.9 && days <= 7, `${days} days`)
  const bob = visitor()
  t.equal((await bob.signUp('bob', { 'x-invitation': id })).status, 200)
  t.equal((await look(bob, id)).status, 200)

  sql('update invitation set expiresAt = ? where id = ?', '2026-01-02T03:04:05.000Z', id)
  const expired = {
    status: 400,
    body: { code: 'INVITATION_EXPIRED', error: /expired at 2026-01-02T03:04:05.000Z: ask an owner or admin/ },
  }
  t.match(await accept(bob, id), expired)
  t.match(await look(bob, id), expired)
  t.match(await bob.post('/organization/reject-invitation', { invitationId: id }), expired)
  t.match(await bob.get('/organization/list'), { status: 200, body: [] }, 'and he is in no organization')

  const late = await invite(ann, 'carol')
  sql('update invitation set expiresAt = ? where id = ?', '2026-01-02T03:04:05.000Z', late.id)
  t.match(await visitor().signUp('carol', { 'x-invitation': late.id }), {
    status: 403,
    body: { code: 'SIGN_UP_BY_INVITATION', error: /expired at 2026-01-02.*ask an owner or admin/ },
  })
  t.match(await visitor().signUp('dave', { 'x-invitation': late.id }), {
    status: 403,
    body: { error: /use the address that it was sent to/ },
  })
})

t.test('only owners and admins withdraw invitations', async t => {
  const { user } = await openAuth(t)
  const [ann, bob, mia, eve, otto] = [
    await user('ann'),
    await user('bob'),
    await user('mia'),
    await user('eve'),
    await user('otto'),
  ]
  const acme = await ann.found('acme')
  await otto.found('other')
  await admit(ann, bob, 'bob', 'admin', acme)
  await admit(ann, mia, 'mia', 'member', acme)
  const { id } = await invite(ann, 'eve')
  t.match(await withdraw(mia, id), { status: 403 }, 'a member')
  t.match(await withdraw(eve, id), { status: 400, body: { code: 'INVITATION_NOT_FOUND' } }, 'the invited')
  const [theirs, unknown] = [await withdraw(otto, id), await withdraw(otto, 'unknown')]
  t.match(theirs, { status: 400, body: { code: 'INVITATION_NOT_FOUND' } }, 'another organization')
  t.strictSame(theirs.body, unknown.body, 'the answer for one that never existed')
  t.match(await withdraw(ann, 7), { status: 400 })
  t.equal((await withdraw(bob, id)).status, 200, 'an admin')
  t.match(await withdraw(ann, id), { status: 400, body: { code: 'INVITATION_NOT_PENDING', error: /withdrawn/ } })
  t.match(await accept(eve, id), { status: 400, body: { code: 'INVITATION_WITHDRAWN', error: /ask an owner/ } })

  const second = await invite(ann, 'eve')
  t.equal((await accept(eve, second.id)).status, 200)
  t.match(await accept(eve, second.id), { status: 400, body: { code: 'INVITATION_USED', error: /works once/ } })
  t.match(await withdraw(ann, second.id), { status: 400, body: { code: 'INVITATION_NOT_PENDING', error: /accepted/ } })
  await ann.post('/organization/remove-member', { memberIdOrEmail: 'eve@example.com' })
  t.match(await accept(eve, second.id), { status: 400, body: { code: 'INVITATION_USED' } }, 'no way back in')

  const third = await invite(ann, 'eve')
  const fourth = await invite(ann, 'eve')
  t.match(
    await accept(eve, third.id),
    { status: 400, body: { code: 'INVITATION_WITHDRAWN' } },
    'a newer one replaced it',
  )
  t.equal((await eve.post('/organization/reject-invitation', { invitationId: fourth.id })).status, 200)
  t.match(await accept(eve, fourth.id), { status: 400, body: { code: 'INVITATION_DECLINED' } })
})

t.test('one invitation accepted many times at once adds one member', async t => {
  const { user } = await openAuth(t)
  const [ann, bob] = [await user('ann'), await user('bob')]
  await ann.found('acme')
  const { id } = await invite(ann, 'bob')
  const answers = await Promise.all(Array.from({ length: 8 }, () => accept(bob, id)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(({ status }) => status).join())
  t.equal((await ann.get('/organization/list-members')).body.members.length, 2)
})
