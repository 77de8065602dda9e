import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { migrate } from '../../src/auth/better-auth.ts'
import { openDatabase } from '../../src/auth/database.ts'
import { EmbeddedAccounts } from '../../src/auth/embedded-accounts.ts'
import { Tokens } from '../../src/auth/tokens.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const ANN = { id: 'ann', name: 'Ann' }

async function setUp(t: Test) {
  const dataDir = t.testdir()
  const database = openDatabase(dataDir)
  t.teardown(() => database.close())
  await migrate(database)
  const insert = database.prepare(`insert into organization (id, name, slug, createdAt) values (?, ?, ?, '2026-01-01')`)
  for (const id of ['acme', 'other']) insert.run(id, id, id)
  const clock = { now: Date.UTC(2026, 0, 1) }
  const tokens = new Tokens(new EmbeddedAccounts(database, 'secret'), () => clock.now)
  const mint = (input: object = {}) =>
    tokens.mint({ organization: 'acme', name: 'build', scope: 'write', createdBy: ANN, ...input })
  return { dataDir, database, clock, tokens, mint }
}

t.test('lists and finds many tokens, which it reads in parts', async t => {
  const { tokens, mint, clock } = await setUp(t)
  const names = Array.from({ length: 250 }, (_, n) => `token${n}`)
  const ids: string[] = []
  for (const [n, name] of names.entries()) {
    if (n % 3 === 0) clock.now++
    ids.push((await mint({ name, projects: [n % 100 === 0 ? 'web' : 'shop'] })).id)
    await mint({ organization: 'other' })
  }
  t.strictSame(
    (await tokens.list('acme')).map(({ name }) => name),
    names.toReversed(),
  )
  t.strictSame((await tokens.limitedTo('acme', 'web')).toReversed(), [ids[0], ids[100], ids[200]])
})

t.test('mint, list, verify, revoke', async t => {
  const { tokens, mint, clock } = await setUp(t)
  const { key, ...first } = await mint({ name: '  build  ' })
  t.match(key, /^prl_[A-Za-z0-9_-]{43}$/)
  t.same(first, {
    id: first.id,
    name: 'build',
    scope: 'write',
    start: key.slice(0, 8),
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: ANN,
    lastUsedAt: null,
    expiresAt: null,
  })
  const second = await mint({ name: 'read', scope: 'read', expiresInDays: 1 })
  t.equal(second.expiresAt, '2026-01-02T00:00:00.000Z')
  t.same(
    (await tokens.list('acme')).map(token => token.name),
    ['read', 'build'],
    'the newest first, in the same millisecond too',
  )
  t.notOk(JSON.stringify(await tokens.list('acme')).includes(key.slice(8)))
  t.same(await tokens.list('other'), [])

  t.same(tokens.verify(key), {
    kind: 'token',
    organization: 'acme',
    role: 'admin',
    scope: 'write',
    id: first.id,
    name: 'build',
    email: `token+${first.id}@parlance.invalid`,
  })
  t.equal(tokens.verify(second.key)?.scope, 'read')

  t.equal(await tokens.revoke('other', first.id), false, 'not from another organization')
  t.ok(tokens.verify(key))
  t.equal(await tokens.revoke('acme', first.id), true)
  t.equal(tokens.verify(key), undefined)
  t.equal(await tokens.revoke('acme', first.id), false)

  clock.now += DAY - 1
  t.ok(tokens.verify(second.key))
  clock.now += 1
  t.equal(tokens.verify(second.key), undefined, 'expired')
  t.equal((await tokens.list('acme')).length, 1, 'an expired one is still listed')
})

t.test('a token of some projects', async t => {
  const { tokens, mint } = await setUp(t)
  const { key, ...minted } = await mint({ scope: 'add', projects: ['web', 'shop', 'web'] })
  t.match(minted, { scope: 'add', projects: ['shop', 'web'] }, 'each once, in order')
  t.same(await tokens.list('acme'), [minted])
  const caller = tokens.verify(key)!
  t.match(caller, { scope: 'add', projects: ['shop', 'web'] })
  t.same(tokens.present(caller.id), caller)
  t.throws(() => (caller.projects as string[]).push('vault'), TypeError)
  t.notOk(
    'projects' in (await tokens.list('acme')).concat(await mint())[1]!,
    'one of all projects says nothing of them',
  )
  t.notOk('projects' in tokens.verify((await mint()).key)!)
})

t.test('a project that is withdrawn', async t => {
  const { tokens, mint } = await setUp(t)
  const acting = { path: 'tokens' }
  const all = await mint()
  const [one, two, three] = [
    await mint({ projects: ['web'] }),
    await mint({ projects: ['web', 'shop', 'web2'] }),
    await mint({ projects: ['web2'] }),
  ]
  const other = await mint({ organization: 'other', projects: ['web'] })
  const seen = () => [all, one, two, three, other].map(({ key }) => tokens.verify(key)?.projects ?? key)
  t.strictSame(seen(), [all.key, ['web'], ['shop', 'web', 'web2'], ['web2'], ['web']])
  const ids = await tokens.limitedTo('acme', 'web')
  t.strictSame(ids.sort(), [one.id, two.id].sort(), 'no other project, and no other organization')
  const later = await mint({ projects: ['web'] })
  await tokens.withdraw(ids, 'web', acting)
  await tokens.withdraw(ids, 'web', acting)
  t.strictSame(seen(), [all.key, one.key, ['shop', 'web2'], ['web2'], ['web']])
  t.equal(tokens.verify(one.key), undefined, 'one without any is gone: without a list it would reach all')
  t.strictSame(tokens.verify(later.key)?.projects, ['web'], 'one that was minted since stays')
  await Promise.all(['shop', 'web2'].map(slug => tokens.withdraw([two.id], slug, acting)))
  t.equal(tokens.verify(two.key), undefined, 'two at once')
  t.equal(tokens.present(two.id), undefined)
})

t.test('lastUsedAt is written at most once a minute', async t => {
  const { tokens, mint, clock } = await setUp(t)
  const { key } = await mint()
  const lastUsed = async () => (await tokens.list('acme'))[0]?.lastUsedAt
  clock.now += 1000
  tokens.verify(key)
  t.equal(await lastUsed(), '2026-01-01T00:00:01.000Z')
  clock.now += MINUTE - 1
  tokens.verify(key)
  t.equal(await lastUsed(), '2026-01-01T00:00:01.000Z')
  clock.now += 1
  tokens.verify(key)
  t.equal(await lastUsed(), '2026-01-01T00:01:01.000Z')
})

t.test('what is no key is no key', async t => {
  const { tokens, mint } = await setUp(t)
  const { key } = await mint()
  const wrong = [
    '',
    'prl_',
    key.slice(0, -1),
    `${key}x`,
    `${key}\n`,
    ` ${key}`,
    key.toUpperCase(),
    `xxx_${key.slice(4)}`,
  ]
  for (const attempt of [...wrong, `prl_${'A'.repeat(43)}`, 'x'.repeat(100_000)]) {
    t.equal(tokens.verify(attempt), undefined, JSON.stringify(attempt.slice(0, 60)))
  }
})

t.test('what a token cannot be', async t => {
  const { tokens, mint } = await setUp(t)
  const bad: object[] = [
    ...['', '   ', 'x'.repeat(101), 'a\nb', 'a\u0000b', 'a\u007fb', '\ud800'].map(name => ({ name })),
    ...[[], ['a/b'], [''], [5], Array.from({ length: 101 }, (_, at) => `p${at}`)].map(projects => ({ projects })),
    ...[0, -1, 1.5, 3651, '7', null, Number.NaN].map(expiresInDays => ({ expiresInDays })),
  ]
  for (const input of bad) await t.rejects(mint(input), { name: 'Failure', code: 'invalid' }, JSON.stringify(input))
  t.same(await tokens.list('acme'), [])
  for (const input of [
    { name: 'ü'.repeat(100) },
    { projects: Array.from({ length: 100 }, (_, at) => `p${at}`) },
    { expiresInDays: 3650 },
  ])
    t.ok((await mint(input)).id)
})

t.test('only the hash is on the disk', async t => {
  const { dataDir, database, mint } = await setUp(t)
  const { key } = await mint()
  database.pragma('wal_checkpoint')
  const files = readdirSync(dataDir)
  t.ok(files.includes('parlance.sqlite'))
  for (const file of files) {
    t.notOk(readFileSync(join(dataDir, file)).includes(key.slice(8)), file)
    t.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600, `${file} is its owner's alone`)
  }
})

t.test('tokens go with their organization and stay when their maker goes', async t => {
  const { database, tokens, mint } = await setUp(t)
  const { key } = await mint()
  const { key: others } = await mint({ organization: 'other', createdBy: { id: 'gone', name: 'Gone' } })
  database.prepare('delete from organization where id = ?').run('acme')
  t.equal(tokens.verify(key), undefined)
  t.ok(tokens.verify(others))
  t.same((await tokens.list('other'))[0]?.createdBy, { id: 'gone', name: 'Gone' })
})

t.test('a token is good while nothing can be written', async t => {
  const { tokens, mint, database, clock } = await setUp(t)
  const { key } = await mint()
  database.pragma('query_only = 1')
  t.match(tokens.verify(key), { organization: 'acme' })
  database.pragma('query_only = 0')
  t.equal((await tokens.list('acme'))[0]!.lastUsedAt, null)
  tokens.verify(key)
  t.equal((await tokens.list('acme'))[0]!.lastUsedAt, new Date(clock.now).toISOString())
})

t.test('forgets a revoked token, on any way of revoking', async t => {
  const { dataDir, tokens, mint, clock, database } = await setUp(t)
  const [first, second, third] = [await mint(), await mint(), await mint({ organization: 'other' })]
  for (const { key } of [first, second, third]) t.ok(tokens.verify(key))
  await tokens.revoke('acme', first.id)
  t.equal(tokens.verify(first.key), undefined, 'at once')
  t.ok(tokens.verify(second.key))

  database.prepare("delete from organization where id = 'other'").run()
  tokens.forget()
  t.equal(tokens.verify(third.key), undefined)

  const operator = openDatabase(dataDir)
  t.teardown(() => operator.close())
  operator.prepare('delete from api_token').run()
  clock.now += 1000
  t.equal(tokens.verify(second.key), undefined, 'another process is heeded within a second')
})
