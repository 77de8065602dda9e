// It restores what it changes, so it shares its process (test/groups.mjs).
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Caller, TokenScope } from '../../src/auth/access.ts'
import { Failure } from '../../src/bundle/errors.ts'
import { FairSlots } from '../../src/scheduling/fair-slots.ts'
import { eventually } from '../eventually.ts'
import { random } from '../random.ts'
import { admit, openAuth } from './open.ts'
import { PASSWORD, type Visitor } from './visitor.ts'

const acting = { path: 'tokens' }

async function scene(t: Test, settle?: (organization: string) => Promise<void>) {
  const opened = await openAuth(t, settle ? { settle } : {})
  const ann = await opened.user('ann')
  const acme = await ann.found('acme')
  const ben = await opened.user('ben')
  await admit(ann, ben, 'ben', 'admin', acme)
  const callerOf = async (who: Visitor): Promise<Caller> => {
    const state = await opened.auth.session(who.headers)
    const { id: organization, role } = state!.organization!
    return { ...state!.user, kind: 'session', session: state!.id, scope: 'write', organization, role }
  }
  return { ...opened, ann, ben, acme, callerOf }
}

t.test('a caller is asked again by what the tables say now', async t => {
  const { auth, ann, ben, acme, callerOf, sql } = await scene(t)
  const admin = await callerOf(ben)
  auth.recheck(admin, 'manage-tokens')
  t.throws(() => auth.recheck(admin, 'read-audit'), { code: 'forbidden', message: /needs the role owner/ })
  sql("update member set role = 'member' where userId = ?", admin.id)
  t.throws(() => auth.recheck(admin, 'manage-tokens'), { code: 'forbidden', message: /yours is member/ })
  auth.recheck(admin, 'edit')
  sql("update member set role = 'admin' where userId = ?", admin.id)
  auth.recheck(admin, 'manage-tokens')
  sql('update session set expiresAt = ? where id = ?', '2020-01-01T00:00:00.000Z', admin.session)
  t.throws(() => auth.recheck(admin, 'edit'), { code: 'unauthenticated' })
  t.throws(() => auth.recheck({ ...admin, session: 'other' }, 'edit'), { code: 'unauthenticated' })

  const owner = await callerOf(ann)
  const mint = (name: string, scope: TokenScope, more = {}) =>
    auth.tokens.mint({ organization: acme, name, scope, createdBy: owner, ...more })
  const token = auth.tokens.verify((await mint('ci', 'write')).key)!
  auth.recheck(token, 'edit')
  t.throws(() => auth.recheck(token, 'manage-tokens'), { code: 'forbidden' })
  sql("update api_token set scope = 'read' where id = ?", token.id)
  t.throws(() => auth.recheck(token, 'edit'), { code: 'forbidden' })
  sql('update api_token set expiresAt = 1 where id = ?', token.id)
  t.throws(() => auth.recheck(token, 'read'), { code: 'unauthenticated' })
  const app = auth.tokens.verify((await mint('app', 'add', { projects: ['web'] })).key)!
  t.same(auth.recheck(app, 'add'), app, 'who they are now')
  t.throws(() => auth.recheck(app, 'edit'), { code: 'forbidden', message: /add missing keys/ })
  sql('update api_token set projects = ? where id = ?', '["shop"]', app.id)
  t.same(auth.recheck(app, 'add').projects, ['shop'])
  const other = auth.tokens.verify((await mint('other', 'write')).key)!
  const revoked = auth.revoke(owner, other.id, acting)
  t.throws(() => auth.recheck(other, 'read'), { code: 'unauthenticated' }, 'from the very call on')
  t.equal(await revoked, true)
  t.equal(await auth.revoke(owner, other.id, acting), false)
})

t.test('a token is minted for projects that are there once it is stored', async t => {
  const { auth, ann, acme, callerOf } = await scene(t)
  const owner = await callerOf(ann)
  const asked = { organization: acme, name: 'ci', scope: 'read', projects: ['web'], createdBy: owner } as const
  let present = true
  const check = async () => {
    if (!present) throw new Failure('invalid', 'no project')
  }
  // The project is deleted, and another one gets its slug, when the token is stored and before it is checked.
  const minted = await auth.mint(owner, asked, acting, async () => {
    present = false
    await auth.withdraw(acme, 'web', acting, async () => {})
    present = true
    await check()
  })
  t.equal(auth.tokens.verify(minted.key), undefined)
  // The project is deleted before the token is stored.
  const refused = auth.mint(owner, asked, acting, async () => {
    present = false
    await check()
  })
  await t.rejects(refused, { code: 'invalid' })
  t.same(await auth.tokens.list(acme), [])
  const stays = await auth.mint(owner, asked, acting)
  await t.rejects(auth.withdraw(acme, 'web', acting, async () => Promise.reject(new Failure('conflict', 'taken'))))
  t.ok(auth.tokens.verify(stays.key), 'nothing is withdrawn from a project that is there')
})

t.test('a revoked token stays revoked when the disk refuses the change', async t => {
  const { auth, ann, acme, callerOf } = await scene(t)
  const owner = await callerOf(ann)
  const { id, key } = await auth.tokens.mint({ organization: acme, name: 'ci', scope: 'write', createdBy: owner })
  const { revoke } = auth.tokens
  auth.tokens.revoke = () => {
    throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
  }
  await t.rejects(auth.revoke(owner, id, acting), {
    code: 'no-space',
    message: /The token is off already/,
  })
  t.equal(auth.tokens.verify(key), undefined)
  t.match(await auth.tokens.list(acme), [{ id }])
  auth.tokens.revoke = revoke
  for (let n = 0; n < 1000 && (await auth.tokens.list(acme)).length > 0; n++) await pause(10)
  t.same(await auth.tokens.list(acme), [], 'it is gone as soon as that can be written')
  t.match((await auth.audit.read(acme, { limit: 1 }))?.entries, [{ what: 'token-revoked', about: { id } }])
})

t.test('answers the removal of a right after the writes under way with it', async t => {
  const settling: string[] = []
  let go: () => void = () => {}
  const { auth, ann, ben, acme, callerOf, user } = await scene(t, organization => {
    settling.push(organization)
    return new Promise(resolve => (go = resolve))
  })
  const owner = await callerOf(ann)
  const memberId = async (email: string) => {
    const { body } = await ann.get('/organization/list-members')
    return body.members.find((member: { user: { email: string } }) => member.user.email === email).id
  }
  const answeredAfter = async (what: string, act: () => Promise<unknown>, organizations = [acme]) => {
    settling.length = 0
    let answered = false
    const done = act().then(answer => {
      answered = true
      return answer
    })
    t.ok(await eventually(() => settling.length >= organizations.length), what)
    t.same([settling, answered], [organizations, false], what)
    go()
    t.match(await done, what === 'a token' ? true : { status: 200 }, what)
  }
  const { id } = await auth.tokens.mint({ organization: acme, name: 'ci', scope: 'write', createdBy: owner })
  await answeredAfter('a token', () => auth.revoke(owner, id, acting))
  const ofBen = await memberId('ben@example.com')
  await answeredAfter('a role', () => ann.post('/organization/update-member-role', { memberId: ofBen, role: 'member' }))
  await answeredAfter('a member', () => ann.post('/organization/remove-member', { memberIdOrEmail: 'ben@example.com' }))
  await admit(ann, ben, 'ben', 'member', acme)
  await answeredAfter('leaving', () => ben.post('/organization/leave', { organizationId: acme }))
  await admit(ann, ben, 'ben', 'member', acme)
  await answeredAfter('the other sessions', () => ben.post('/revoke-other-sessions', {}))
  const change = { currentPassword: PASSWORD, newPassword: 'another correct horse' }
  await answeredAfter('a password', () => ben.post('/change-password', change))
  await answeredAfter('a session', () => ben.post('/sign-out', {}))
  const cid = await user('cid')
  await admit(ann, cid, 'cid', 'owner', acme)
  await answeredAfter('an organization', () => ann.post('/organization/delete', { organizationId: acme }))
})

t.test('refuses an act with a right that was revoked meanwhile', async t => {
  const { auth, ann, ben, acme } = await scene(t)
  const { acquire } = FairSlots.prototype
  t.teardown(() => Object.assign(FairSlots.prototype, { acquire }))
  // Every query of everybody comes after a moment, so that acts interleave in each of their steps.
  FairSlots.prototype.acquire = async function (...given) {
    await pause(random() * 4)
    return acquire.apply(this, given)
  }
  for (let round = 0; round < 4; round++) {
    const invited = Array.from({ length: 12 }, async (_, n) => {
      await pause(random() * 20)
      const email = `r${round}n${n}@example.com`
      return ben.post('/organization/invite-member', { email, role: 'admin', organizationId: acme })
    })
    await pause(random() * 10)
    const removed = await ann.post('/organization/remove-member', { memberIdOrEmail: 'ben@example.com' })
    t.equal(removed.status, 200)
    await Promise.all(invited)
    const { entries } = (await auth.audit.read(acme, { limit: 50 }))!
    const removal = entries.findIndex(({ what }) => what === 'member-removed')
    const after = entries.slice(0, removal).filter(({ who }) => who?.email === 'ben@example.com')
    t.same(after, [], 'no invitation by one who was removed')
    await admit(ann, ben, 'ben', 'admin', acme)
  }
})
