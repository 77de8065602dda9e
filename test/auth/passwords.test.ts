import t from 'tap'
import { openAuth } from './open.ts'
import { PASSWORD, type Visitor } from './visitor.ts'

t.test('a new password ends all other sessions at once, whatever the client asks for', async t => {
  const { auth, user, visitor } = await openAuth(t)
  const ann = await user('ann')
  await ann.found('acme')
  const beta = await ann.found('beta')
  const bob = await user('bob')
  for (const asked of [
    {},
    { revokeOtherSessions: false },
    { revokeOtherSessions: 'no' },
    { revokeOtherSessions: true },
  ]) {
    const elsewhere = visitor()
    await elsewhere.signIn('ann')
    const old = ann.headers
    const change = (who: Visitor, currentPassword: string) =>
      who.post('/change-password', { currentPassword, newPassword: PASSWORD, ...asked })
    t.equal((await change(ann, 'a wrong password')).status, 400)
    t.ok(await auth.session(elsewhere.headers), 'a wrong password ends nothing')
    t.equal((await change(ann, PASSWORD)).status, 200, JSON.stringify(asked))
    t.equal(await auth.session(elsewhere.headers), null, 'the other session is over')
    t.equal(await auth.session(old), null, 'and so is the one it was changed in')
    t.match(
      await auth.session(ann.headers),
      { organization: { id: beta } },
      'whose successor is about the same organization',
    )
  }
  t.ok(await auth.session(bob.headers), 'sessions of others stay')
})
