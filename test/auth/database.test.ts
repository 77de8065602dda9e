import t from 'tap'
import { migrate } from '../../src/auth/better-auth.ts'
import { openDatabase } from '../../src/auth/database.ts'

t.test('made once, left alone afterwards', async t => {
  const dataDir = t.testdir()
  const first = openDatabase(dataDir)
  const made = await migrate(first)
  t.ok(made.includes('user') && made.includes('member'))
  t.equal(first.pragma('journal_mode', { simple: true }), 'wal')
  t.equal(first.pragma('foreign_keys', { simple: true }), 1)
  t.equal(first.pragma('synchronous', { simple: true }), 2)
  first.close()

  const second = openDatabase(dataDir)
  t.teardown(() => second.close())
  t.same(await migrate(second), [], 'a second start changes nothing')
})

t.test('one membership per user and organization', async t => {
  const database = openDatabase(t.testdir())
  t.teardown(() => database.close())
  await migrate(database)
  const now = new Date().toISOString()
  database.prepare('insert into user values (@id, @id, @id, 0, null, @now, @now)').run({ id: 'ann', now })
  database
    .prepare('insert into organization (id, name, slug, createdAt) values (@id, @id, @id, @now)')
    .run({ id: 'acme', now })
  const join = database.prepare(
    'insert into member (id, organizationId, userId, role, createdAt) values (?, ?, ?, ?, ?)',
  )
  join.run('1', 'acme', 'ann', 'member', now)
  t.throws(() => join.run('2', 'acme', 'ann', 'admin', now), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
})
