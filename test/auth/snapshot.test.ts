import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { Auth } from '../../src/auth/auth.ts'
import { EmbeddedAccounts } from '../../src/auth/embedded-accounts.ts'
import { eventually, startServer } from '../contract/server.ts'
import { openAuth } from './open.ts'

t.test('the copy has what a person would miss, and nothing that lets someone in', async t => {
  const root = t.testdir()
  const server = await startServer(t, { dataDir: join(root, 'data') })
  const acme = await server.organization('Ann')
  const mia = await server.join(acme, 'Mia', 'member')
  const gone = await server.mint(acme.owner, 'gone')
  await server.must('DELETE', `/api/tokens/${gone.id}`, { as: acme.owner })
  await server.get('/api/projects', acme.key)
  await server.must('POST', '/api/auth/sign-out', { as: mia })
  await server.close()

  const source = new Sqlite(join(root, 'data', 'parlance.sqlite'), { readonly: true })
  const token = source.prepare<[], { token: string }>('select token from session').get()!.token
  const hash = source.prepare<[], { hash: Buffer }>('select hash from api_token').get()!.hash
  const password = source.prepare<[], { password: string }>('select password from account').get()!.password
  source.close()

  const auth = await Auth.open({ dataDir: join(root, 'data'), signUp: 'open', rateLimit: false })
  t.teardown(() => auth.close())
  const file = join(root, 'copy.sqlite')
  const snapshot = await auth.snapshot(file)
  t.strictSame(snapshot.organizations, [acme.id])
  t.equal(statSync(file).mode & 0o777, 0o600)
  const bytes = readFileSync(file)
  t.equal(bytes.includes(token), false, 'no session, not even in a free page')
  t.equal(bytes.includes(hash), true)
  t.equal(bytes.includes(password), true)
  t.equal(bytes.includes(readFileSync(join(root, 'data', 'secret'), 'utf8').trim()), false)
  const copy = new Sqlite(file, { readonly: true })
  t.teardown(() => copy.close())
  const count = (table: string) => copy.prepare<[], { n: number }>(`select count(*) as n from "${table}"`).get()!.n
  t.strictSame(
    ['user', 'account', 'organization', 'member', 'api_token', 'session', 'verification'].map(count),
    [2, 2, 1, 2, 1, 0, 0],
  )
  t.equal(copy.pragma('integrity_check', { simple: true }), 'ok')
  t.equal(copy.pragma('journal_mode', { simple: true }), 'delete', 'one file, whole by itself')
  t.ok(Number(copy.pragma('user_version', { simple: true })) > 0, 'the version of the tables is copied')
  t.strictSame(
    copy.prepare('select lastUsedAt from api_token').all(),
    [{ lastUsedAt: null }],
    'using a token is no change',
  )
  await t.rejects(auth.snapshot(file), { code: 'EEXIST' })
})

t.test('the copy has ended jobs of machines with their refused texts, and no answer of one under way', async t => {
  const root = t.testdir()
  const server = await startServer(t, { dataDir: join(root, 'data') })
  const { id: organization } = await server.organization('Ann')
  await server.close()
  const auth = await Auth.open({ dataDir: join(root, 'data'), signUp: 'open', rateLimit: false })
  t.teardown(() => auth.close())
  const { jobs } = auth
  const place = { organization, project: 'web' }
  const start = async () => {
    const { id } = (await jobs.add(place, {}, () => {}))!
    await jobs.claim(id, 'runner')
    await jobs.addAnswers(id, 'de', [{ key: 'paid' }])
    await jobs.keepRefused(id, 'de', [{ key: `refused by ${id}` }])
    return id
  }
  const [ended, underWay] = [await start(), await start()]
  await jobs.save(ended, 'runner', {}, 'done')
  await jobs.dropAnswers(ended)
  t.equal((await jobs.answers(underWay, 'de')).length, 2)
  const refused = async (at: typeof place, language: string) => {
    const all: string[] = []
    for await (const json of jobs.refused(at, language)) all.push(json)
    return all
  }
  t.equal((await refused(place, 'de')).length, 2)
  t.strictSame(await refused(place, 'pl'), [])
  t.strictSame(await refused({ ...place, project: 'other' }, 'de'), [])
  const file = join(root, 'copy.sqlite')
  await auth.snapshot(file)
  const copy = new Sqlite(file, { readonly: true })
  t.teardown(() => copy.close())
  t.strictSame(copy.prepare('select id from machine_job').all(), [{ id: ended }])
  t.strictSame(copy.prepare('select answers from machine_answer').all(), [
    { answers: JSON.stringify([{ key: `refused by ${ended}` }]) },
  ])
})

t.test('the copy holds nothing of an act under way, which may fail', async t => {
  const root = t.testdir()
  const accounts = await EmbeddedAccounts.open(join(root, 'data'))
  t.teardown(() => accounts.close())
  const file = join(root, 'copy.sqlite')
  const copying = await accounts.change(async run => {
    await run`begin`
    await run`insert into organization (id, name, slug, "createdAt") values ('o', 'Acme', 'acme', 0)`
    const snapshot = accounts.snapshot(file)
    const ended = await Promise.race([snapshot, pause(200, 'it waits')])
    await run`rollback`
    return { snapshot, ended }
  })
  t.equal(copying.ended, 'it waits')
  t.strictSame((await copying.snapshot).organizations, [])
})

/** The accounts of a running server, opened a second time beside it. */
async function besideServer(t: Test) {
  const root = t.testdir()
  const server = await startServer(t, { dataDir: join(root, 'data') })
  const acme = await server.organization('Ann')
  const beside = await Auth.open({ dataDir: join(root, 'data'), signUp: 'open', rateLimit: false })
  t.teardown(() => beside.close())
  return { root, server, acme, beside }
}

t.test('equal contents have one digest, with any sessions and times', async t => {
  const { root, server, acme, beside } = await besideServer(t)
  let serial = 0
  const digest = async (known?: string) => (await beside.snapshot(join(root, `copy${serial++}`), known)).digest
  const first = await digest()
  let changes = beside.changes()
  t.equal(beside.changes(), changes, 'looking changes nothing')
  await server.signIn(acme.owner.user.email, acme.owner.password, { origin: server.origin })
  await server.get('/api/projects', acme.key)
  t.not(beside.changes(), changes, 'what another process wrote is seen')
  t.equal(await digest(), first)
  changes = beside.changes()
  const { id } = await server.mint(acme.owner, 'second')
  t.not(beside.changes(), changes)
  const second = await digest(first)
  t.not(second, first)
  await server.must('DELETE', `/api/tokens/${id}`, { as: acme.owner })
  const third = await digest(second)
  t.not(third, first, 'a created and revoked token is gone, but leaves entries')
  await server.signIn(acme.owner.user.email, acme.owner.password, { origin: server.origin })
  t.equal(await digest(third), third, 'the same rows, the same digest')
})

t.test('what counts as a change is what a snapshot has', async t => {
  const { auth, user } = await openAuth(t)
  let before = auth.changes()
  const changed = () => {
    const now = auth.changes()
    const differs = now !== before
    before = now
    return differs
  }
  t.equal(changed(), false)
  const ann = await user('ann')
  t.equal(changed(), true, 'a sign-up')
  const made = await ann.post('/organization/create', { name: 'Acme', slug: 'acme' })
  t.equal(changed(), true, 'an organization')
  const createdBy = { id: 'x', name: 'Ann' }
  const { key, id } = await auth.tokens.mint({ organization: made.body.id, name: 'ci', scope: 'write', createdBy })
  t.equal(changed(), true, 'a token')
  t.ok(auth.tokens.verify(key))
  await ann.signIn('ann')
  t.equal(changed(), false, 'a sign-in or the use of a token is none')
  await auth.tokens.revoke(id, made.body.id)
  t.equal(changed(), false, 'nor a revocation of nothing')
  await auth.tokens.revoke(made.body.id, id)
  t.equal(changed(), true)
  await ann.post('/organization/invite-member', {
    email: 'bob@example.com',
    role: 'member',
    organizationId: made.body.id,
  })
  t.equal(changed(), true, 'an invitation')
  await ann.post('/organization/delete', { organizationId: made.body.id })
  t.equal(changed(), true)
})

t.test('it is whole while others write', async t => {
  const { root, server, acme, beside } = await besideServer(t)
  let minted = 0
  let stop = false
  const minting = (async () => {
    while (!stop) {
      await server.mint(acme.owner, `token ${minted}`)
      minted++
    }
  })()
  for (let round = 0; round < 10; round++) {
    const before = minted
    t.ok(await eventually(() => minted > before))
    const least = minted
    const file = join(root, `round${round}`)
    await beside.snapshot(file)
    const copy = new Sqlite(file, { readonly: true })
    const { n } = copy.prepare<[], { n: number }>('select count(*) as n from api_token').get()!
    t.ok(n >= least, `${n} of at least ${least}`)
    t.equal(copy.pragma('integrity_check', { simple: true }), 'ok')
    copy.close()
  }
  stop = true
  await minting
})
