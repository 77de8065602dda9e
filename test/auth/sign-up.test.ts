import t from 'tap'
import { openAuth } from './open.ts'
import { PASSWORD, type Visitor } from './visitor.ts'

t.test('closed: refuses all, even the first', async t => {
  const { auth, visitor } = await openAuth(t, { signUp: 'closed' })
  t.match(await visitor().signUp('ann'), { status: 403, body: { code: 'SIGN_UP_CLOSED', error: /operator/ } })
  t.equal(auth.hasUsers(), false)
})

t.test('invite: the very first user, and one only', async t => {
  const { visitor } = await openAuth(t, { signUp: 'invite' })
  t.equal(
    (await visitor().post('/sign-up/email', { name: 'x', email: 'x@example.com', password: 'short' })).status,
    400,
  )
  const answers = await Promise.all(['ann', 'bob', 'eve'].map(name => visitor().signUp(name)))
  t.same(answers.map(answer => answer.status).sort(), [200, 403, 403])
})

t.test('invite: from then on with the invitation', async t => {
  const clock = { ahead: 0 }
  const { auth, visitor, user } = await openAuth(t, { signUp: 'invite', now: () => Date.now() + clock.ahead })
  const ann = await user('ann')
  const acme = await ann.found('acme')
  const invite = async (name: string) => {
    const { body } = await ann.post('/organization/invite-member', { email: `${name}@example.com`, role: 'admin' })
    return body.id as string
  }
  const refused = { status: 403, body: { code: 'SIGN_UP_BY_INVITATION', error: String } }
  const bobs = await invite('bob')
  t.match(await visitor().signUp('bob'), refused, 'the address alone is not enough')
  t.match(await visitor().signUp('bob', { 'x-invitation': 'unknown' }), refused)
  t.match(await visitor().signUp('eve', { 'x-invitation': bobs }), refused, "nor another user's invitation")
  clock.ahead = 8 * 86_400_000
  t.match(await visitor().signUp('bob', { 'x-invitation': bobs }), refused, 'nor one that has expired')
  clock.ahead = 0

  const bob = visitor()
  t.equal((await bob.signUp('bob', { 'x-invitation': bobs })).status, 200)
  t.match(await bob.get(`/organization/get-invitation?id=${bobs}`), { status: 200, body: { role: 'admin' } })
  t.equal((await bob.post('/organization/accept-invitation', { invitationId: bobs })).status, 200)
  t.same((await auth.session(bob.headers))?.organization, { id: acme, role: 'admin' })
  t.equal((await bob.post('/organization/accept-invitation', { invitationId: bobs })).status, 400, 'once')

  const inOtherPlaces: [string, (who: Visitor, id: string, account: object) => Promise<{ status: number }>][] = [
    ['query', (who, id, account) => who.post(`/sign-up/email?invitation=${id}`, account)],
    ['body', (who, id, account) => who.post('/sign-up/email', { ...account, invitation: id })],
  ]
  for (const [name, signUp] of inOtherPlaces) {
    const id = await invite(name)
    const account = { name, email: `${name.toUpperCase()}@Example.com`, password: PASSWORD }
    t.equal((await signUp(visitor(), id, account)).status, 200, name)
  }

  const cancelled = await invite('carol')
  t.equal((await ann.post('/organization/cancel-invitation', { invitationId: cancelled })).status, 200)
  t.match(await visitor().signUp('carol', { 'x-invitation': cancelled }), refused)
  const daves = (await bob.post('/organization/invite-member', { email: 'dave@example.com', role: 'member' })).body.id
  await ann.post('/organization/remove-member', { memberIdOrEmail: 'bob@example.com' })
  t.match(await visitor().signUp('dave', { 'x-invitation': daves }), refused, 'of a removed member')
})
