/** Acts of better-auth that write several rows, each with what has to be there before it. */
import { admit } from './open.ts'
import { codeOf, wrongCode } from './totp.ts'
import { type Answer, PASSWORD, type Visitor } from './visitor.ts'

/** Sets the scene with a visitor. @returns the act, and the status of its answer */
type Scene = (visitor: () => Visitor) => Promise<[act: () => Promise<Answer>, status: number]>

async function people(visitor: () => Visitor): Promise<{ ann: Visitor; bob: Visitor; acme: string }> {
  const [ann, bob] = [visitor(), visitor()]
  await ann.signUp('ann')
  await bob.signUp('bob')
  return { ann, bob, acme: await ann.found('acme') }
}

async function withSecondFactor(visitor: () => Visitor) {
  const ann = visitor()
  await ann.signUp('ann')
  const { totpURI, backupCodes } = (await ann.post('/two-factor/enable', { password: PASSWORD })).body
  await ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const waiting = visitor()
  await waiting.signIn('ann')
  return { ann, waiting, totpURI, backupCode: backupCodes[0] }
}

/** See the top of the file. */
export const ACTS: Record<string, Scene> = {
  'a sign-up': async visitor => [() => visitor().signUp('ann'), 200],
  'an organization made': async visitor => {
    const ann = visitor()
    await ann.signUp('ann')
    return [() => ann.post('/organization/create', { name: 'Acme', slug: 'acme' }), 200]
  },
  'an organization deleted': async visitor => {
    const { ann, bob, acme } = await people(visitor)
    await admit(ann, bob, 'bob', 'admin', acme)
    return [() => ann.post('/organization/delete', { organizationId: acme }), 200]
  },
  'somebody invited anew': async visitor => {
    const { ann } = await people(visitor)
    const invite = () => ann.post('/organization/invite-member', { email: 'bob@example.com', role: 'member' })
    await invite()
    return [invite, 200]
  },
  'an invitation accepted': async visitor => {
    const { ann, bob } = await people(visitor)
    const { body } = await ann.post('/organization/invite-member', { email: 'bob@example.com', role: 'member' })
    return [() => bob.post('/organization/accept-invitation', { invitationId: body.id }), 200]
  },
  'a member removed': async visitor => {
    const { ann, bob, acme } = await people(visitor)
    await admit(ann, bob, 'bob', 'member', acme)
    return [() => ann.post('/organization/remove-member', { memberIdOrEmail: 'bob@example.com' }), 200]
  },
  'an organization left': async visitor => {
    const { ann, bob, acme } = await people(visitor)
    await admit(ann, bob, 'bob', 'member', acme)
    return [() => bob.post('/organization/leave', { organizationId: acme }), 200]
  },
  'a password changed': async visitor => {
    const ann = visitor()
    await ann.signUp('ann')
    await visitor().signIn('ann')
    const given = { currentPassword: PASSWORD, newPassword: 'another correct horse' }
    return [() => ann.post('/change-password', given), 200]
  },
  'other sessions ended': async visitor => {
    const ann = visitor()
    await ann.signUp('ann')
    for (let more = 0; more < 3; more++) await visitor().signIn('ann')
    return [() => ann.post('/revoke-other-sessions', {}), 200]
  },
  'a second factor turned on': async visitor => {
    const ann = visitor()
    await ann.signUp('ann')
    const { totpURI } = (await ann.post('/two-factor/enable', { password: PASSWORD })).body
    return [() => ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) }), 200]
  },
  'a second factor turned off': async visitor => {
    const { ann } = await withSecondFactor(visitor)
    return [() => ann.post('/two-factor/disable', { password: PASSWORD }), 200]
  },
  'a sign-in that is asked for a code': async visitor => {
    await withSecondFactor(visitor)
    return [() => visitor().signIn('ann'), 200]
  },
  'a sign-in with a code': async visitor => {
    const { waiting, totpURI } = await withSecondFactor(visitor)
    return [() => waiting.post('/two-factor/verify-totp', { code: codeOf(totpURI) }), 200]
  },
  'a sign-in with a wrong code': async visitor => {
    const { waiting, totpURI } = await withSecondFactor(visitor)
    return [() => waiting.post('/two-factor/verify-totp', { code: wrongCode(totpURI) }), 401]
  },
  'a sign-in with a backup code': async visitor => {
    const { waiting, backupCode: code } = await withSecondFactor(visitor)
    return [() => waiting.post('/two-factor/verify-backup-code', { code }), 200]
  },
}

/** The tables with rows that they write; of the audit trail only the entries of acts. */
export const WRITTEN = [
  ...['user', 'account', 'session', 'verification', 'twoFactor', 'organization', 'member', 'invitation'],
  'audit',
]
