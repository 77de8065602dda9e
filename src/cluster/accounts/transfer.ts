/** Carries all accounts from SQLite to PostgreSQL, or back: every row of every table, counted. */
import { createHash } from 'node:crypto'
import Sqlite, { type Database } from 'better-sqlite3'
import { migrateTables } from '../../auth/database.ts'
import { nextTurn } from '../../scheduling/slices.ts'
import { type AccountRow, asInSqlite } from './accounts-replica.ts'
import type { SharedAccountsOptions, SharedClient } from './options.ts'

/** All tables, each after those that it refers to, by what orders their rows. */
const TABLES = {
  user: 'id',
  organization: 'id',
  session: 'id',
  account: 'id',
  verification: 'id',
  member: 'id',
  member_inbox: 'id',
  invitation: 'id',
  twoFactor: 'id',
  api_token: 'id',
  machine_spent: 'id',
  machine_job: 'id',
  machine_answer: 'id',
  audit: 'number',
  audit_hour: 'number',
} as const

/** Rows held in memory at once. */
const PAGE = 500

/** What the tables hold: the number of rows, and a SHA-256 of them in hex, alike for both databases. */
export type TableDigests = Record<string, { rows: number; digest: string }>

/** The rows of a table that come after one of `key`, as SQLite has them. */
type Pages = (table: string, key: string, columns: string[], after: unknown) => Promise<AccountRow[]>
type Put = (table: string, columns: string[], rows: AccountRow[]) => Promise<unknown>

/** Creates a database file with all tables and no rows, in place of none or an empty one. */
export async function newAccounts(file: string): Promise<Database> {
  const database = new Sqlite(file)
  await migrateTables(database, async () => (await import('../../auth/better-auth.ts')).migrate(database))
  return database
}

/** Copies PostgreSQL's rows into the empty tables of a SQLite. */
export const copyToSqlite = (client: SharedClient, types: SharedAccountsOptions['types'], target: Database) =>
  carry(target, pagesOfPostgres(client, types), async (table, columns, rows) => {
    const insert = target.prepare(`insert into "${table}" (${quoted(columns)}) values (${columns.map(() => '?')})`)
    target.transaction(() => {
      for (const row of rows) insert.run(columns.map(name => row[name]))
    })()
  })

/**
 * Copies SQLite's rows into the empty tables of a PostgreSQL, in the caller's transaction and unnoticed by triggers.
 */
export async function copyToPostgres(source: Database, client: SharedClient): Promise<TableDigests> {
  const onEach = (text: (table: string) => string) => client.query({ text: Object.keys(TABLES).map(text).join('; ') })
  await onEach(table => `alter table "${table}" disable trigger user`)
  const contents = await carry(source, pagesOfSqlite(source), async (table, columns, rows) => {
    const places = rows.map((_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`)})`)
    const values = rows.flatMap(row => columns.map(name => row[name]))
    await client.query({ text: `insert into "${table}" (${quoted(columns)}) values ${places}`, values })
  })
  await onEach(table => `alter table "${table}" enable trigger user`)
  for (const [table, key] of Object.entries(TABLES)) {
    if (key === 'id') continue
    const text = `select setval(pg_get_serial_sequence('${table}', 'number'), (select max(number) from "${table}"))`
    await client.query({ text })
  }
  return contents
}

/** What SQLite holds. */
export const contentsOfSqlite = (source: Database): Promise<TableDigests> =>
  carry(source, pagesOfSqlite(source), async () => {})

/** What PostgreSQL holds. @param shape a SQLite database with the columns to read */
export const contentsOfPostgres = (client: SharedClient, types: SharedAccountsOptions['types'], shape: Database) =>
  carry(shape, pagesOfPostgres(client, types), async () => {})

async function carry(shape: Database, pages: Pages, put: Put): Promise<TableDigests> {
  const contents: TableDigests = {}
  for (const [table, key] of Object.entries(TABLES)) {
    const columns = (shape.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name).sort()
    const hash = createHash('sha256')
    let count = 0
    for (let after: unknown; ; ) {
      const rows = await pages(table, key, columns, after)
      if (rows.length === 0) break
      await put(table, columns, rows)
      for (const row of rows) hash.update(`${JSON.stringify(columns.map(name => row[name]))}\n`)
      count += rows.length
      after = rows.at(-1)![key]
      await nextTurn()
    }
    contents[table] = { rows: count, digest: hash.digest('hex') }
  }
  return contents
}

const quoted = (columns: string[]) => columns.map(name => `"${name}"`).join(', ')

const pagesOfSqlite =
  (source: Database): Pages =>
  async (table, key, columns, after) => {
    const past = after === undefined ? '' : `where "${key}" > ?`
    const statement = `select ${quoted(columns)} from "${table}" ${past} order by "${key}" limit ${PAGE}`
    return source.prepare<unknown[], AccountRow>(statement).all(...(after === undefined ? [] : [after]))
  }

const pagesOfPostgres =
  (client: SharedClient, types: SharedAccountsOptions['types']): Pages =>
  async (table, key, columns, after) => {
    // By bytes, as SQLite compares.
    const by = key === 'id' ? 'id collate "C"' : `"${key}"`
    const past = after === undefined ? '' : `where ${by} > $1`
    const text = `select ${quoted(columns)} from "${table}" ${past} order by ${by} limit ${PAGE}`
    const { rows } = await client.query({ text, values: after === undefined ? [] : [after], types: inNumbers(types) })
    return rows.map(row => Object.fromEntries(columns.map(name => [name, asInSqlite(row[name])])))
  }

const BIGINT = 20

/** Types that give whole numbers as SQLite does. */
export const inNumbers = (types: SharedAccountsOptions['types']): SharedAccountsOptions['types'] => ({
  getTypeParser: (type, format) => (type === BIGINT ? Number : types.getTypeParser(type, format)),
})
