import { hash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { migrate } from '../../src/auth/better-auth.ts'
import { databaseFailure, makeDurable, migrateTables, openDatabase, TABLES_VERSION } from '../../src/auth/database.ts'
import { EmbeddedAccounts } from '../../src/auth/embedded-accounts.ts'
import { Tokens } from '../../src/auth/tokens.ts'
import { newFolder } from '../new-folder.ts'

t.test('creates the file once and leaves it alone afterwards', async t => {
  const dataDir = t.testdir()
  const first = openDatabase(dataDir)
  const made = await migrate(first)
  t.ok(made.includes('user') && made.includes('member'))
  t.equal(first.pragma('journal_mode', { simple: true }), 'wal')
  t.equal(first.pragma('foreign_keys', { simple: true }), 1)
  makeDurable(first)
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
  database.prepare('insert into user values (@id, @id, @id, 0, null, @now, @now, 0)').run({ id: 'ann', now })
  database
    .prepare('insert into organization (id, name, slug, createdAt) values (@id, @id, @id, @now)')
    .run({ id: 'acme', now })
  const join = database.prepare(
    'insert into member (id, organizationId, userId, role, createdAt) values (?, ?, ?, ?, ?)',
  )
  join.run('1', 'acme', 'ann', 'member', now)
  t.throws(() => join.run('2', 'acme', 'ann', 'admin', now), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
})

t.test('tables of the present version are left alone, older ones copied first, newer ones refused', async t => {
  const dataDir = t.testdir()
  const database = openDatabase(dataDir)
  t.teardown(() => database.close())
  await migrateTables(database, migrate)
  const copy = join(dataDir, `parlance.sqlite.before-${TABLES_VERSION}`)
  t.notOk(existsSync(copy), 'a new file has nothing to copy')
  await migrateTables(database, async () => t.fail('altered again'))

  database.pragma('user_version = 0')
  database.prepare("insert into organization (id, name, slug, createdAt) values ('a', 'a', 'a', '')").run()
  await migrateTables(database, migrate)
  t.equal(database.pragma('user_version', { simple: true }), TABLES_VERSION)
  t.equal(statSync(copy).mode & 0o777, 0o600)
  const before = openDatabase(newFolder(t, { 'parlance.sqlite': readFileSync(copy) }))
  t.teardown(() => before.close())
  t.equal(before.prepare('select count(*) from organization').pluck().get(), 1)

  database.pragma(`user_version = ${TABLES_VERSION + 1}`)
  await t.rejects(migrateTables(database, migrate), { code: 'unavailable', message: /newer Parlance/ })
})

/** As versions 1 to 4 created it. */
const TOKENS_OF_4 = `
  create table api_token (
    id text primary key,
    organizationId text not null references organization (id) on delete cascade,
    name text not null,
    scope text not null check (scope in ('read', 'write')),
    start text not null,
    hash blob not null unique,
    createdAt integer not null,
    createdById text not null,
    createdByName text not null,
    lastUsedAt integer,
    expiresAt integer
  ) strict;
  create index api_token_organization on api_token (organizationId);`

t.test('tokens of version 4 stay as they are, and reach all projects', async t => {
  const database = openDatabase(t.testdir())
  t.teardown(() => database.close())
  await migrateTables(database, migrate)
  const schema = () =>
    database.prepare('select type, name, tbl_name, sql from sqlite_schema where sql is not null order by name').all()
  const fresh = schema()
  database.exec(`drop table api_token; ${TOKENS_OF_4}`)
  database.prepare("insert into organization (id, name, slug, createdAt) values ('acme', 'a', 'a', '')").run()
  const insert = database.prepare(
    `insert into api_token values (?, 'acme', ?, ?, 'prl_1234', ?, 7, 'ann', 'Ann', ?, ?)`,
  )
  const keys = ['c', 'a', 'b'].map((name, at) => {
    const key = `prl_${name.repeat(43)}`
    insert.run(
      `id-${name}`,
      name,
      at === 1 ? 'read' : 'write',
      hash('sha256', key, 'buffer'),
      null,
      at === 2 ? 9 : null,
    )
    return key
  })
  const before = database.prepare<[], object>('select * from api_token order by rowid').all()
  database.pragma('user_version = 4')

  await migrateTables(database, migrate)
  const after = database.prepare('select * from api_token order by rowid').all()
  t.same(
    after,
    before.map(row => ({ ...row, projects: null, rights: null })),
    'the same rows in the same order',
  )
  const withoutBlanks = (rows: unknown[]) => JSON.stringify(rows).replaceAll(/(\\n|\s)+/g, ' ')
  t.equal(withoutBlanks(schema()), withoutBlanks(fresh), 'the tables and indexes of a new file')
  t.same(database.pragma('foreign_key_check'), [])
  const tokens = new Tokens(new EmbeddedAccounts(database, 'secret'), () => 8)
  t.match(
    keys.map(key => tokens.verify(key)?.scope),
    ['write', 'read', 'write'],
  )
  t.same(Object.keys(tokens.verify(keys[0]!)!).includes('projects'), false)
  database.pragma('user_version = 4')
  await migrateTables(database, migrate)
  t.equal(database.prepare('select count(*) from api_token').pluck().get(), 3, 'broken off and begun again')
  database.prepare('delete from organization').run()
  t.equal(database.prepare('select count(*) from api_token').pluck().get(), 0, 'they still go with their organization')
})

t.test('a file of version 6 gets the table of inboxes, which go with their memberships', async t => {
  const database = openDatabase(t.testdir())
  t.teardown(() => database.close())
  await migrateTables(database, migrate)
  const schema = () =>
    database.prepare('select type, name, sql from sqlite_schema where sql is not null order by name').all()
  const fresh = schema()
  database.exec('drop table member_inbox')
  const now = new Date().toISOString()
  database.prepare('insert into user values (@id, @id, @id, 0, null, @now, @now, 0)').run({ id: 'ann', now })
  database.prepare("insert into organization (id, name, slug, createdAt) values ('acme', 'a', 'a', ?)").run(now)
  const join = database.prepare(
    "insert into member (id, organizationId, userId, role, createdAt) values ('m', 'acme', 'ann', 'owner', ?)",
  )
  join.run(now)
  database.pragma('user_version = 6')

  await migrateTables(database, migrate)
  t.strictSame(schema(), fresh, 'the tables of a new file')
  t.equal(database.pragma('user_version', { simple: true }), TABLES_VERSION)
  t.equal(database.prepare('select role from member').pluck().get(), 'owner')
  database.exec("insert into member_inbox (id, digest) values ('m', 1)")
  database.exec('delete from member')
  t.equal(database.prepare('select count(*) from member_inbox').pluck().get(), 0)
})

t.test('an upgrade of better-auth asks whether the tables change', async t => {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  t.equal(
    `${dependencies['better-auth']} ${TABLES_VERSION}`,
    '1.7.7 8',
    'raise TABLES_VERSION when getMigrations() of the new version finds something to do in a database of the old one',
  )
})

t.test('what SQLite cannot write is a failure that callers may hear of, and its other errors are not', async t => {
  const database = openDatabase(t.testdir())
  t.teardown(() => database.close())
  await migrate(database)
  const error = (run: () => unknown) => {
    try {
      run()
    } catch (error) {
      return error
    }
    return t.fail('it did not fail')
  }
  const grow = () => database.exec('create table big as select zeroblob(1000000) as bytes')
  database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`)
  t.match(databaseFailure(error(grow)), { code: 'no-space' })
  database.pragma('query_only = 1')
  t.match(databaseFailure(error(grow)), { code: 'unavailable' })
  t.equal(databaseFailure(error(() => database.exec('nonsense'))), undefined)
  for (const other of [new Error('x'), undefined, null, 'SQLITE_FULL']) t.equal(databaseFailure(other), undefined)
})
