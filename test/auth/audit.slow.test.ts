import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import t from 'tap'
import { Accounts } from '../../src/auth/accounts.ts'
import { AUDIT_ROWS, Audit, type AuditEntry, type AuditQuery } from '../../src/auth/audit.ts'
import type { Auth } from '../../src/auth/auth.ts'
import { type RunSql, runSqlOnSqlite } from '../../src/auth/dialect.ts'
import { auditTables, SQLITE } from '../../src/auth/own-tables.ts'
import { admit, openAuth } from './open.ts'
import { PASSWORD } from './visitor.ts'

/** The event of a new invitation. */
const MADE = 'invitation-made'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const read = async (auth: Auth, organization: string, query: Partial<AuditQuery> = {}): Promise<AuditEntry[]> =>
  (await auth.audit.read(organization, { limit: 1000, ...query }))!.entries

/** An entry in short: what, who, about whom, from, to. */
const told = ({ what, by, who, about, from, to }: AuditEntry) =>
  [what, by === 'user' ? who?.email.split('@')[0] : by, about?.name.split('@')[0], from, to].filter(Boolean).join(' ')

t.test('each act has its entry', async t => {
  const { auth, dataDir, user, visitor } = await openAuth(t)
  const [ann, bob] = [await user('ann'), await user('bob')]
  const acme = await ann.found('acme')
  ann.address = '192.0.2.77'
  const start = Date.now()
  const tell = async () => (await read(auth, acme)).map(told).reverse()
  let seen = (await tell()).length
  const since = async () => {
    const all = await tell()
    const fresh = all.slice(seen)
    seen = all.length
    return fresh
  }
  t.strictSame(
    await tell(),
    ['organization-made ann acme'],
    'and not the sign-ups from before there was an organization',
  )

  await admit(ann, bob, 'bob', 'member', acme)
  t.strictSame(await since(), [`${MADE} ann bob member`, 'invitation-accepted bob bob member'])
  const { members } = (await ann.get('/organization/list-members')).body
  const of = (role: string) => members.find((member: { role: string }) => member.role === role).id
  const [anns, bobs] = [of('owner'), of('member')]
  await ann.post('/organization/update-member-role', { memberId: bobs, role: 'admin' })
  await ann.post('/organization/update-member-role', { memberId: bobs, role: 'admin' })
  t.strictSame(await since(), ['role-changed ann bob member admin'], 'what changes nothing is no act')
  const refused = await bob.post('/organization/update-member-role', { memberId: anns, role: 'member' })
  t.ok(refused.status >= 400)
  t.strictSame(await since(), [], 'nor is what was refused')

  const made = (
    await bob.post('/organization/invite-member', { email: 'Eve@example.com', role: 'member', organizationId: acme })
  ).body
  await ann.post('/organization/cancel-invitation', { invitationId: made.id })
  t.strictSame(await since(), [`${MADE} bob eve member`, 'invitation-withdrawn ann eve member'])
  const acting = { path: 'tokens', user: { id: 'x', email: 'ann@example.com' }, address: '::1' }
  const createdBy = { id: 'x', name: 'Ann' }
  const token = await auth.tokens.mint({ organization: acme, name: 'ci', scope: 'read', createdBy }, acting)
  await auth.tokens.revoke(acme, 'unknown', acting)
  await auth.tokens.revoke(acme, token.id, acting)
  t.strictSame(await since(), ['token-minted ann ci read', 'token-revoked ann ci read'])
  t.match(await read(auth, acme, { limit: 1 }), [{ about: { type: 'token', id: token.id }, address: '::1' }])

  const again = visitor()
  await again.signIn('bob', 'a wrong password')
  await again.signIn('bob')
  await again.post('/sign-out')
  await again.post('/sign-out')
  t.strictSame(await since(), ['sign-in-failed nobody bob', 'sign-in bob bob', 'sign-out bob bob'])
  await bob.post('/sign-in/email', { email: 'ann@example.com', password: PASSWORD })
  t.strictSame(await since(), ['sign-in ann ann'], 'the actor of a sign-in is the user of the session')
  await bob.signIn('bob')
  since()

  await bob.post('/change-password', { currentPassword: PASSWORD, newPassword: 'another long password' })
  t.strictSame(await since(), ['password-changed bob bob'], 'the new session is no sign-in')
  const accounts = await Accounts.open(dataDir)
  await accounts.resetPassword('bob@example.com', PASSWORD)
  await accounts.create({
    email: 'zoe@example.com',
    name: 'Zoe',
    password: PASSWORD,
    membership: { organization: acme, role: 'member' },
  })
  accounts.close()
  t.strictSame(await since(), ['password-reset operator bob', 'member-added operator zoe member'])

  const { organization: _, user: self, id: session } = (await auth.session(ann.headers))!
  const caller = { ...self, kind: 'session', session, scope: 'write', role: 'owner', organization: acme } as const
  await auth.inboxes.setDigest(caller, true)
  t.strictSame(await since(), [], 'a switch is no right')
  for (let turn = 0; turn < 2; turn++) {
    await auth.inboxes.renewFeedKey(caller, { path: 'inbox', user: self })
    t.strictSame(await since(), ['feed-renewed ann ann'])
  }
  await auth.inboxes.markRead(caller, `${'a'.repeat(40)}-0`, 1)
  t.strictSame(await since(), [])

  await ann.post('/organization/update', { data: { name: 'Acme Inc' }, organizationId: acme })
  await ann.post('/organization/remove-member', { memberIdOrEmail: 'zoe@example.com', organizationId: acme })
  await bob.signIn('bob')
  since()
  await bob.post('/organization/leave', { organizationId: acme })
  t.match((await tell()).slice(-4, -2), [
    'organization-renamed ann Acme Inc acme (acme) Acme Inc (acme)',
    'member-removed ann zoe member',
  ])
  t.strictSame(await since(), ['member-left bob bob admin'])

  const [last] = await read(auth, acme, { limit: 1, what: 'member-removed' })
  t.match(last, { who: { id: /\w/, email: 'ann@example.com' }, address: '192.0.2.77', id: /^[0-9a-f]{24}$/ })
  t.ok(Date.parse(last!.time) >= start && Date.parse(last!.time) <= Date.now())

  await ann.post('/organization/delete', { organizationId: acme })
  t.strictSame(
    (await tell()).slice(-2),
    ['member-left bob bob admin', 'organization-deleted ann Acme Inc'],
    'and one for all that went with it',
  )
  for (const secret of [PASSWORD, 'a wrong password', 'another long password', token.key, made.id]) {
    const rows = JSON.stringify(
      new Sqlite(join(dataDir, 'parlance.sqlite'), { readonly: true }).prepare('select * from audit').all(),
    )
    t.notOk(rows.includes(secret), 'no secret is in it')
  }
  t.notOk(readFileSync(join(dataDir, 'parlance.sqlite')).includes('a wrong password'))
})

t.test('an act that cannot be noted does not happen', async t => {
  const { auth, user, visitor, sql, dataDir } = await openAuth(t)
  const ann = await user('ann')
  const acme = await ann.found('acme')
  sql("create trigger no_room before insert on audit begin select raise(abort, 'no room'); end")
  const rows = (table: string) => {
    const database = new Sqlite(join(dataDir, 'parlance.sqlite'), { readonly: true })
    const { n } = database.prepare<[], { n: number }>(`select count(*) as n from ${table}`).get()!
    database.close()
    return n
  }
  const sessions = rows('session')
  t.equal((await visitor().signIn('ann')).status, 500)
  t.equal(rows('session'), sessions, 'no session was created')
  await t.rejects(auth.tokens.mint({ organization: acme, name: 'x', scope: 'read', createdBy: { id: 'a', name: 'A' } }))
  t.equal(rows('api_token'), 0)
  t.equal((await ann.post('/organization/invite-member', { email: 'b@example.com', role: 'member' })).status, 500)
  t.equal(rows('invitation'), 0)
  t.equal(
    (await ann.post('/change-password', { currentPassword: PASSWORD, newPassword: 'something else' })).status,
    500,
  )
  t.equal((await visitor().signIn('ann', 'wrong')).status, 401, 'a wrong password is one all the same')
  sql('drop trigger no_room')
  t.equal((await visitor().signIn('ann')).status, 200, 'and the old password still is the right one')
  t.equal((await ann.post('/organization/delete', { organizationId: acme })).status, 200)
})

t.test('records a sign-in in each organization of the user and in no other', async t => {
  const { auth, user, visitor } = await openAuth(t)
  const [ann, bob, otto] = [await user('ann'), await user('bob'), await user('otto')]
  const [acme, beta, other] = [await ann.found('acme'), await bob.found('beta'), await otto.found('other')]
  await admit(ann, bob, 'bob', 'member', acme)
  await visitor().signIn('bob')
  await visitor().signIn('nobody')
  for (const organization of [acme, beta]) t.match(await read(auth, organization, { limit: 1 }), [{ what: 'sign-in' }])
  t.strictSame((await read(auth, other)).map(told), ['organization-made otto other'])
  const [theirs] = await read(auth, acme)
  t.equal(await auth.audit.read(other, { limit: 1, after: theirs!.id }), undefined, 'no cursor of another organization')
})

t.test('it is bounded in rows, kind by kind', async t => {
  const clock = { now: Date.UTC(2026, 0, 1) }
  const { auth, user, sql } = await openAuth(t, { now: () => clock.now })
  const ann = await user('ann')
  const acme = await ann.found('acme')
  const mint = () =>
    auth.tokens.mint({ organization: acme, name: 'x', scope: 'read', createdBy: { id: 'a', name: 'A' } })
  const fill = (kind: string, what: string, rows: number) =>
    sql(
      `insert into audit (time, organizationId, kind, what, "by")
       with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows}) select ?, ?, ?, ?, 'user' from n`,
      clock.now,
      acme,
      kind,
      what,
    )
  const count = async (what: string) =>
    (await read(auth, acme, { what: what as AuditEntry['what'], limit: 100_000 })).length
  fill('failure', 'sign-in-failed', AUDIT_ROWS.failure + 50)
  for (let i = 0; i < 3; i++) await auth.audit.signInFailed('ann@example.com', '192.0.2.9', clock.now)
  t.equal(await count('sign-in-failed'), AUDIT_ROWS.failure)
  t.equal(await count('organization-made'), 1, 'guessing pushes no act out')
  fill('act', 'role-changed', AUDIT_ROWS.act - 1)
  await mint()
  t.equal(await count('organization-made'), 0, 'the oldest act goes')
  t.equal((await await count('role-changed')) + (await count('token-minted')), AUDIT_ROWS.act)
})

t.test('deletes an entry after a year of running, for any clock', async t => {
  const database = new Sqlite(':memory:')
  database.exec(`create table user (id, email); create table member (userId, organizationId); ${auditTables(SQLITE)}`)
  t.teardown(() => database.close())
  const add = database.prepare<[number]>(
    `insert into audit (time, organizationId, kind, what, "by") values (?, 'acme', 'act', 'token-minted', 'operator')`,
  )
  const ids = database.prepare<[], { id: string }>('select id from audit order by number')
  const present = () => ids.all().map(({ id }) => id)
  const run = runSqlOnSqlite(database)
  const engine = {
    query: <T>(use: (on: RunSql) => Promise<T>) => use(run),
    change: <T>(use: (on: RunSql) => Promise<T>) => use(run),
  }
  const kept = 24
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant('an entry') },
    { weight: 2, arbitrary: fc.constant('an hour') },
    { weight: 1, arbitrary: fc.constantFrom('half a day', 'a restart', 'a sleep', 'the newest go') },
    { weight: 1, arbitrary: fc.integer({ min: -30_000, max: 30_000 }) },
  )
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
    database.exec('delete from audit; delete from audit_hour')
    let [time, ran, clock] = [0, 0, 0]
    let audit = new Audit(engine, () => time * HOUR, kept)
    const since = new Map<string, number>()
    const run = async (hours: number) => {
      for (let n = 0; n < hours; n++) {
        ;[time, ran] = [time + 1, ran + 1]
        while (await audit.forgetOld());
      }
    }
    for (const step of steps) {
      if (typeof step === 'number') clock = step * DAY
      else if (step === 'an entry') add.run(clock)
      else if (step === 'an hour') await run(1)
      else if (step === 'half a day') await run(12)
      else if (step === 'the newest go') {
        // As a restore brings it: a backup is without them.
        database.exec('delete from audit where number > (select avg(number) from audit)')
        for (const id of since.keys()) if (!present().includes(id)) since.delete(id)
      } else {
        time += step === 'a sleep' ? 1_000 : 0.9
        if (step === 'a restart') audit = new Audit(engine, () => time * HOUR, kept)
        else ran++
      }
      while (await audit.forgetOld());
      const now = new Set(present())
      for (const id of now) if (!since.has(id)) since.set(id, ran)
      const early = [...since].filter(([id, at]) => !now.has(id) && ran - at < kept)
      if (early.length > 0) return false
      for (const id of since.keys()) if (!now.has(id)) since.delete(id)
    }
    const old = present()
    for (let n = 0; n < kept + 2; n++) {
      add.run(clock)
      await run(1)
    }
    const left = new Set(present())
    const hours = database.prepare<[], { rows: number }>('select count(*) as rows from audit_hour').get()!.rows
    return hours <= kept + 1 && !old.some(id => left.has(id))
  })
  await fc.assert(property, { numRuns: 100 })
})

t.test('attributes simultaneous acts to their own users', async t => {
  const { auth, user } = await openAuth(t)
  const people = await Promise.all(
    ['ann', 'bob', 'eve', 'ida'].map(async (name, index) => {
      const who = await user(name)
      who.address = `192.0.2.${100 + index}`
      return { name, who, organization: await who.found(name) }
    }),
  )
  const acts = people.flatMap(({ name, who, organization }) =>
    Array.from({ length: 4 }, async (_, n) => {
      const invited = await who.post('/organization/invite-member', {
        email: `${name}${n}@example.com`,
        role: 'member',
      })
      const acting = { path: 'tokens', user: { id: name, email: `${name}@example.com` }, address: who.address }
      await auth.tokens.mint({ organization, name: 'x', scope: 'read', createdBy: { id: name, name } }, acting)
      await who.post('/organization/cancel-invitation', { invitationId: invited.body.id })
    }),
  )
  await Promise.all(acts)
  for (const { name, who, organization } of people) {
    const entries = (await read(auth, organization)).filter(({ what }) => what !== 'organization-made')
    t.equal(entries.length, 12, `${name}: each act once`)
    const others = entries.filter(entry => entry.who?.email !== `${name}@example.com` || entry.address !== who.address)
    t.strictSame(others, [], `${name}: no other user`)
  }
})
