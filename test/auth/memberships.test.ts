import t from 'tap'
import { migrate } from '../../src/auth/better-auth.ts'
import { openDatabase } from '../../src/auth/database.ts'
import { Memberships } from '../../src/auth/memberships.ts'

t.test('users and memberships', async t => {
  const database = openDatabase(t.testdir())
  t.teardown(() => database.close())
  await migrate(database)
  const memberships = new Memberships(database)
  const insert = (table: string, row: Record<string, string | number>) =>
    database
      .prepare(`insert into ${table} (${Object.keys(row)}) values (${Object.keys(row).map(() => '?')})`)
      .run(Object.values(row))
  const day = (date: number) => new Date(Date.UTC(2026, 0, date)).toISOString()

  t.equal(memberships.hasUsers(), false)
  t.equal(memberships.first('ann'), undefined)
  insert('user', {
    id: 'ann',
    name: 'Ann',
    email: 'ann@example.com',
    emailVerified: 0,
    createdAt: day(1),
    updatedAt: day(1),
  })
  t.equal(memberships.hasUsers(), true)
  for (const id of ['a', 'b', 'c', 'd']) insert('organization', { id, name: id, slug: id, createdAt: day(1) })
  const join = (organizationId: string, role: string, date: number) =>
    insert('member', { id: organizationId, organizationId, userId: 'ann', role, createdAt: day(date) })
  join('b', 'member', 3)
  join('a', 'admin,member', 2)
  join('c', 'owner', 2)
  t.same(memberships.first('ann'), { id: 'a', role: 'admin' }, 'the oldest, of equally old ones the first created')
  t.equal(memberships.role('ann', 'c'), 'owner')
  t.equal(memberships.role('ann', 'd'), undefined)
  t.equal(memberships.role('bob', 'c'), undefined)
  t.equal(memberships.hasSlug('ann', 'c'), true)
  t.equal(memberships.hasSlug('ann', 'd'), false)
  t.equal(memberships.hasSlug('bob', 'c'), false)
})
