/** Accounts that several nodes share: races, faults, and the same acts on either database. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { Accounts } from '../../../src/auth/accounts.ts'
import type { AuditEntry } from '../../../src/auth/audit.ts'
import { Auth } from '../../../src/auth/auth.ts'
import { moveToFolder, moveToShared } from '../../../src/cluster/accounts/move.ts'
import { SharedAccounts } from '../../../src/cluster/accounts/shared-accounts.ts'
import { admit } from '../../auth/open.ts'
import { codeOf, wrongCode } from '../../auth/totp.ts'
import { PASSWORD, Visitor } from '../../auth/visitor.ts'
import '../../quick-passwords.ts'
import { newFolder } from '../../new-folder.ts'
import { noPostgres } from '../postgres.ts'
import { accountsOnPostgres, elsewhere, Nodes, openNode } from './nodes.ts'

/** An entry without what differs from run to run. */
const told = ({ what, by, who, about, from, to, address }: AuditEntry) =>
  [what, by, who?.email, about?.type, about?.name, from, to, address].map(part => part ?? '-').join(' ')

t.test('accounts on PostgreSQL', { skip: noPostgres() }, async t => {
  const { postgres, newNodes } = await accountsOnPostgres(t)

  t.test('the second factor: asked for everywhere, and a code works once', async t => {
    const nodes = await newNodes(t)
    const [one, other] = [await openNode(t, nodes), await openNode(t, nodes)]
    const ann = one.visitor()
    await ann.signUp('ann')
    const { totpURI, backupCodes } = (await ann.post('/two-factor/enable', { password: PASSWORD })).body
    t.equal((await elsewhere(other.auth, ann).post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status, 200)
    const [here, there] = [one.visitor(), other.visitor()]
    for (const who of [here, there]) t.match(await who.signIn('ann'), { body: { twoFactorRedirect: true } })
    const code = codeOf(totpURI)
    t.match(await there.post('/two-factor/verify-totp', { code: wrongCode(totpURI) }), { status: 401 })
    const answers = await Promise.all([here, there].map(who => who.post('/two-factor/verify-totp', { code })))
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 401], 'on one of two nodes')
    const late = one.visitor()
    await late.signIn('ann')
    t.equal((await late.post('/two-factor/verify-backup-code', { code: backupCodes[0] })).status, 200)
    t.match(await other.auth.session(late.headers), { user: { name: 'ann' } })
    const again = other.visitor()
    await again.signIn('ann')
    t.equal((await again.post('/two-factor/verify-backup-code', { code: backupCodes[0] })).status, 401)
  })

  t.test('the first user is one, on whichever node', async t => {
    const nodes = await newNodes(t)
    const all = [await openNode(t, nodes, { signUp: 'invite' }), await openNode(t, nodes, { signUp: 'invite' })]
    const answers = await Promise.all(
      ['ann', 'bob', 'cid', 'dan'].map((name, at) => all[at % 2]!.visitor().signUp(name)),
    )
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 403, 403, 403])
  })

  t.test('of two owners who demote each other, one stays', async t => {
    const nodes = await newNodes(t)
    const [one, other] = [await openNode(t, nodes), await openNode(t, nodes)]
    const [ann, bob] = [one.visitor(), other.visitor()]
    await ann.signUp('ann')
    await bob.signUp('bob')
    for (let round = 0; round < 5; round++) {
      const acme = await ann.found(`acme${round}`)
      await admit(ann, bob, 'bob', 'owner', acme)
      const { members } = (await ann.get(`/organization/list-members?organizationId=${acme}`)).body
      const of = (email: string) =>
        members.find((member: { user: { email: string } }) => member.user.email === email).id
      const demote = (who: Visitor, email: string) =>
        who.post('/organization/update-member-role', { memberId: of(email), role: 'member', organizationId: acme })
      const answers = await Promise.all([demote(ann, 'bob@example.com'), demote(bob, 'ann@example.com')])
      t.equal(answers.filter(({ status }) => status === 200).length, 1)
    }
  })

  t.test('a node that was away for long reads all accounts again', async t => {
    const nodes = await newNodes(t)
    const [one, other] = [await openNode(t, nodes), await openNode(t, nodes)]
    const [ann, bob] = [one.visitor(), one.visitor()]
    await ann.signUp('ann')
    const gone = await ann.found('gone')
    nodes.deaf = true
    await bob.signUp('bob')
    const acme = await bob.found('acme')
    await ann.post('/organization/delete', { organizationId: gone })
    await nodes.ask('delete from accounts_change')
    t.equal(other.auth.named(acme), undefined)
    nodes.deaf = false
    await ann.post('/update-user', { name: 'Anna' })
    t.match(other.auth.named(acme), { slug: 'acme' })
    t.equal(other.auth.named(gone), undefined)
    t.match(await other.auth.session(bob.headers), { organization: { id: acme } })
  })

  t.test('the same acts leave the same trail as in SQLite', async t => {
    const script = async (auth: Auth, operator: () => Promise<Accounts>) => {
      const visitor = () => Object.assign(new Visitor(auth), { address: '192.0.2.7' })
      const [ann, bob] = [visitor(), visitor()]
      await ann.signUp('ann')
      await bob.signUp('bob')
      const acme = await ann.found('acme')
      await admit(ann, bob, 'bob', 'member', acme)
      const invited = await ann.post('/organization/invite-member', { email: 'c@example.com', role: 'admin' })
      await ann.post('/organization/cancel-invitation', { invitationId: invited.body.id })
      const asked = { organization: acme, name: 'ci', scope: 'read', createdBy: { id: 'a', name: 'Ann' } } as const
      const acting = { path: 'tokens', user: { id: 'a', email: 'ann@example.com' }, address: '192.0.2.8' }
      const { id } = await auth.tokens.mint(asked, acting)
      await auth.tokens.mint({ ...asked, scope: 'add' }, acting)
      await auth.tokens.mint({ ...asked, scope: 'suggest' }, acting)
      await auth.tokens.revoke(acme, id, acting)
      const { user, id: session } = (await auth.session(ann.headers))!
      const caller = { ...user, kind: 'session', session, scope: 'write', role: 'owner', organization: acme } as const
      await auth.inboxes.markRead(caller, `${'a'.repeat(40)}-0`, 1)
      await auth.inboxes.renewFeedKey(caller, acting)
      const { key } = await auth.inboxes.renewFeedKey(caller, acting)
      t.match(await auth.inboxes.ownerOfFeed(key), { organization: acme, role: 'owner', user: { name: 'ann' } })
      await auth.inboxes.setDigest(caller, true)
      const [anns = ''] = await auth.inboxes.withDigest()
      const day = Date.now() - 1000
      const claims = await Promise.all([1, 2, 3].map(() => auth.inboxes.claimDigest(anns, day)))
      t.equal(claims.filter(time => time !== undefined).length, 1, 'one of several claims a digest')
      await auth.inboxes.setLastDigest({ membership: anns, digestTime: Date.now(), digestTo: 'item' })
      const read = await auth.inboxes.read(caller)
      t.match(read, { readTime: 1, digest: true, digestTo: 'item' })
      await auth.inboxes.setLastDigest({ ...read, digestTime: null, digestTo: null })
      t.type(await auth.inboxes.claimDigest(anns, day), 'number')
      await visitor().signIn('ann', 'wrong')
      await visitor().signIn('nobody')
      await visitor().signIn('bob')
      const { totpURI, backupCodes } = (await ann.post('/two-factor/enable', { password: PASSWORD })).body
      await ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
      const again = visitor()
      await again.signIn('ann')
      await again.post('/two-factor/verify-totp', { code: wrongCode(totpURI) })
      await again.post('/two-factor/verify-backup-code', { code: backupCodes[0] })
      await again.post('/change-password', { currentPassword: PASSWORD, newPassword: 'a better battery' })
      const { members } = (await again.get('/organization/list-members')).body
      const memberId = members.find(({ role }: { role: string }) => role === 'member').id
      await again.post('/organization/update-member-role', { memberId, role: 'admin' })
      await again.post('/organization/update', { data: { name: 'Acme Ltd' } })
      await bob.post('/organization/leave', { organizationId: acme })
      const accounts = await operator()
      const membership = { organization: acme, role: 'member' } as const
      await accounts.create({ email: 'eve@example.com', name: 'Eve', password: PASSWORD, membership })
      await accounts.resetPassword('ann@example.com', 'another battery')
      await accounts.resetTwoFactor('ann@example.com')
      await accounts.close()
      await ann.signIn('ann', 'another battery')
      await ann.post('/sign-out', {})
      await ann.signIn('ann', 'another battery')
      t.match(await ann.post('/organization/delete', { organizationId: acme }), { status: 200 })
      return (await auth.audit.read(acme, { limit: 100 }))!.entries.map(told).reverse()
    }
    const dataDir = t.testdir()
    const embedded = await Auth.open({ dataDir, signUp: 'open', rateLimit: false })
    t.teardown(() => embedded.close())
    const expected = await script(embedded, () => Accounts.open(dataDir))
    const nodes = await newNodes(t)
    const { auth, errors } = await openNode(t, nodes)
    const operator = async () => Accounts.over(await SharedAccounts.open(nodes.options(), {}))
    t.strictSame(await script(auth, operator), expected)
    t.ok(expected.length >= 20, 'many kinds of entries')
    t.strictSame(errors, [])
  })

  t.test('the copy for the backup is a data folder’s file', async t => {
    const nodes = await newNodes(t)
    const { auth, visitor } = await openNode(t, nodes)
    const ann = visitor()
    const before = auth.changes()
    await ann.signUp('ann')
    t.not(auth.changes(), before)
    const acme = await ann.found('acme')
    const asked = { organization: acme, name: 'ci', scope: 'read', createdBy: { id: 'a', name: 'Ann' } } as const
    const { key } = await auth.tokens.mint(asked)
    await ann.get('/ok')
    t.ok(auth.tokens.verify(key))
    const since = auth.changes()
    await visitor().signIn('ann')
    t.equal(auth.changes(), since, 'a sign-in is none')
    const dataDir = join(newFolder(t), 'restored')
    mkdirSync(dataDir)
    const file = join(dataDir, 'parlance.sqlite')
    const { digest, organizations } = await auth.snapshot(file)
    t.strictSame(organizations, [acme])
    t.equal((await auth.snapshot(join(dataDir, 'again'), digest)).digest, digest)
    const copy = new Sqlite(file, { readonly: true })
    t.strictSame(copy.pragma('foreign_key_check'), [])
    t.equal(copy.prepare('select count(*) from session').pluck().get(), 0)
    copy.close()
    const restored = await Auth.open({ dataDir, signUp: 'open', rateLimit: false })
    t.teardown(() => restored.close())
    t.match(restored.tokens.verify(key), { organization: acme })
    const later = new Visitor(restored)
    t.match(await later.signIn('ann'), { status: 200 })
    t.match(await restored.session(later.headers), { organization: { id: acme, role: 'owner' } })
  })

  t.test('accounts move to the database and back, all of them', async t => {
    const dataDir = t.testdir()
    const folder = await Auth.open({ dataDir, signUp: 'open', rateLimit: false })
    const ann = new Visitor(folder)
    await ann.signUp('ann')
    const acme = await ann.found('acme')
    await ann.post('/organization/invite-member', { email: 'b@example.com', role: 'admin' })
    const { totpURI } = (await ann.post('/two-factor/enable', { password: PASSWORD })).body
    await ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
    const asked = { organization: acme, name: 'ci', scope: 'add', createdBy: { id: 'a', name: 'Ann' } } as const
    const { key } = await folder.tokens.mint({ ...asked, projects: ['web'], expiresInDays: 3 })
    folder.tokens.verify(key)
    await new Visitor(folder).signIn('ann', 'wrong')
    const trail = async (auth: Auth) => (await auth.audit.read(acme, { limit: 100 }))!.entries
    const entries = await trail(folder)
    folder.close()

    const nodes = Nodes.on(t, await postgres.database())
    await nodes.ask(`create table stream (id text primary key, seq bigint not null default 0, head text, base_head text,
      removed boolean not null default false)`)
    await nodes.ask('create table node (id text primary key, url text, seen timestamptz default now())')
    const head = 'a'.repeat(40)
    const heads = new Map([[acme, head]])
    const time = '2026-11-23T08:00:00.000Z'
    await nodes.ask("insert into node values ('n', 'http://192.0.2.1')")
    await t.rejects(moveToShared(dataDir, nodes.options(), heads, time), { code: 'conflict', message: /192\.0\.2\.1/ })
    await nodes.ask('delete from node')
    const there = await moveToShared(dataDir, nodes.options(), heads, time)
    t.match(there, { contents: { user: { rows: 1 }, api_token: { rows: 1 } }, kept: /^parlance\.sqlite\.moved-2026/ })
    t.match(await nodes.ask("select * from stream where id <> 'accounts'"), [{ id: acme, head, base_head: head }])
    t.ok(existsSync(join(dataDir, there.kept!)))
    const alone = { dataDir, signUp: 'open', rateLimit: false } as const
    await t.rejects(
      Auth.open(alone),
      { message: /moved into a database/ },
      'no server starts with empty accounts by mistake',
    )
    await t.rejects(moveToShared(dataDir, nodes.options(), heads, time), { code: 'conflict' })

    const shared = await openNode(t, nodes)
    t.match(
      await shared.auth.session(ann.headers),
      { organization: { id: acme } },
      'sessions go on: the secret is the same',
    )
    t.match(shared.auth.tokens.verify(key), { organization: acme, projects: ['web'] })
    t.strictSame(await trail(shared.auth), entries)
    const again = shared.visitor()
    t.match(await again.signIn('ann'), { body: { twoFactorRedirect: true } })
    t.equal((await again.post('/two-factor/verify-totp', { code: codeOf(totpURI, Date.now() + 30_000) })).status, 200)
    t.equal((await trail(shared.auth)).length, entries.length + 1, 'numbers go on')
    await shared.auth.close()

    const back = newFolder(t)
    await t.rejects(moveToFolder(back, nodes.options(), new Map([[acme, 'b'.repeat(40)]]), time), { code: 'conflict' })
    const returned = await moveToFolder(back, nodes.options(), heads, time)
    t.match(returned.contents, { session: { rows: 2 }, api_token: there.contents.api_token, account: { rows: 1 } })
    const restored = await Auth.open({ dataDir: back, signUp: 'open', rateLimit: false })
    t.teardown(() => restored.close())
    t.match(await restored.session(again.headers), { organization: { id: acme } })
    const leaving = openNode(t, await newNodes(t), { dataDir: back })
    await t.rejects(leaving, { message: /accounts of its own/ }, 'nor leaves accounts behind')
    await t.rejects(openNode(t, nodes), { message: /were moved from that database into a data folder at 2026/ })
  })

  t.test('without its database a node says so, and goes on with it', async t => {
    // Not a copy of another: its sequences would be lost with a crash (PostgreSQL 15).
    const nodes = Nodes.on(t, await postgres.database())
    const { auth, errors, visitor } = await openNode(t, nodes)
    const ann = visitor()
    await ann.signUp('ann')
    await nodes.ask(`update session set "expiresAt" = now() + interval '5 days'`)
    const bob = visitor()
    await bob.signUp('bob')
    await postgres.kill()
    t.match(await auth.session(bob.headers), { user: { name: 'bob' } }, 'what is in memory')
    t.match(
      await auth.session(ann.headers),
      { user: { name: 'ann' }, setCookies: [] },
      'one that is due goes on as it is',
    )
    t.match(await visitor().signIn('ann'), { status: 503 })
    await postgres.start()
    const statuses = new Set<number>()
    for (let status = 0; status !== 200; statuses.add(status)) status = (await visitor().signIn('ann')).status
    t.strictSame(
      [...statuses].filter(status => status !== 503),
      [200],
      JSON.stringify(errors),
    )
  })
})
