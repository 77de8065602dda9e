import { setTimeout as pause } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import t from 'tap'
import { EmbeddedAccounts } from '../../src/auth/embedded-accounts.ts'
import { eventually } from '../eventually.ts'
import { startServer } from '../http/server.ts'
import { hashAsUsersDo } from '../quick-passwords.ts'
import { oidcSettings, startProvider } from './oidc-provider.ts'
import { openAuth } from './open.ts'
import { HOST } from './visitor.ts'

// The others must find a crowd that waits.
hashAsUsersDo()

t.test('an own write is no part of another transaction, and precedes a crowd', async t => {
  const accounts = await EmbeddedAccounts.open(t.testdir())
  t.teardown(() => accounts.close())
  accounts.reads.exec('create table words (word text)')
  const kysely = new Kysely<unknown>({ dialect: (await accounts.betterAuth()).dialect })
  const words = () => accounts.reads.prepare('select word from words order by rowid').pluck().all()
  const transaction = await kysely.startTransaction().execute()
  await sql`insert into words values ('theirs')`.execute(transaction)
  const crowd = [1, 2, 3].map(n => sql`insert into words values (${`crowd ${n}`})`.execute(kysely))
  await pause(30)
  const written = accounts.change(run => run`insert into words values ('ours')`)
  await pause(30)
  t.same(words(), ['theirs'], 'it waits')
  await transaction.rollback().execute()
  await Promise.all([written, ...crowd])
  t.same(words(), ['ours', 'crowd 1', 'crowd 2', 'crowd 3'])
  await t.rejects(
    accounts.change(async () => {
      throw new Error('of the write')
    }),
    /of the write/,
  )
  await accounts.change(run => run`insert into words values ('the turn is free again')`)
})

t.test('a token is revoked, and people sign in, before those who sign up in crowds', async t => {
  const server = await startServer(t)
  const acme = await server.organization()
  const { id, key } = await server.mint(acme.owner, 'leaked')
  t.equal((await server.get('/api/projects', key)).status, 200)
  let signedUp = 0
  let isOver = false
  // Each signs up again and again, so that fifteen wait at any time.
  const crowd = Array.from({ length: 16 }, async (_, n) => {
    for (let round = 0; !isOver; round++) {
      await server.signUp(`New${n}x${round}`)
      signedUp++
    }
  })
  t.ok(await eventually(() => signedUp > 0))
  const before = signedUp
  const revoked = server.call('DELETE', `/api/tokens/${id}`, { as: acme.owner })
  t.equal((await revoked).status, 204)
  t.ok(signedUp - before < 8, `revoked before half of the 16 were through: ${signedUp - before}`)
  t.equal((await server.get('/api/projects', key)).status, 401)
  const between = signedUp
  t.equal((await server.signIn(acme.owner.user.email, acme.owner.password)).status, 200)
  t.ok(signedUp - between < 16, `signed in before all of the 16 were through: ${signedUp - between}`)
  isOver = true
  await Promise.all(crowd)
})

t.test('people sign in by the provider for the first time while others sign up', async t => {
  const base = `http://${HOST}`
  const { provider } = await startProvider(t, `${base}/api/auth/callback/oidc`)
  const { auth, visitor } = await openAuth(t, { oidc: oidcSettings(provider, base) })
  let going = true
  const others = [0, 1, 2].map(async line => {
    for (let n = 0; going; n++) await visitor().signUp(`other${line}-${n}`)
  })
  for (let n = 0; n < 5; n++) {
    provider.user = { ...provider.user, sub: `subject-${n}`, email: `new${n}@example.com` }
    const somebody = visitor()
    const begun = await somebody.post('/sign-in/social', { provider: 'oidc' })
    const back = await somebody.get(provider.authorize(begun.body.url).slice(`${base}/api/auth`.length))
    t.equal(back.status, 302, JSON.stringify(back.body))
    t.match(await auth.session(somebody.headers), { user: { email: `new${n}@example.com` } })
  }
  going = false
  await Promise.all(others)
})
