/** DATA_DIR/parlance.sqlite, and what better-auth's migrations lack. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { busy, Failure } from '../bundle/errors.ts'
import { auditTables, inboxTable, jobTables, machineTable, SCOPE_CHECK, SQLITE, tokenTable } from './own-tables.ts'

export type { Database } from 'better-sqlite3'

/** The accounts' file in the data folder. */
export const FILE = 'parlance.sqlite'

/**
 * Opens the database with mode 0600, -wal and -shm included, as it holds password hashes and sessions. Not durable
 * against power cuts yet, see {@link makeDurable}.
 */
export function openDatabase(dataDir: string): Database {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, FILE)
  closeSync(openSync(file, 'a', 0o600))
  const database = new Sqlite(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.pragma('foreign_keys = ON')
  database.pragma('busy_timeout = 5000')
  // Changing it later drops temporary triggers.
  database.pragma('temp_store = memory')
  return database
}

/**
 * The version of all tables (SQLite's `user_version`, 0 when new), to be raised with every change, better-auth's
 * included. Comparing columns instead would load better-auth at each start.
 */
export const TABLES_VERSION = 8

/**
 * Updates the tables by `alter` if needed; an older file is copied to `parlance.sqlite.before-<version>`.
 * @throws Failure `unavailable` when a newer Parlance has written the file
 */
export async function migrateTables(
  database: Database,
  alter: (database: Database) => Promise<unknown>,
): Promise<void> {
  const version = Number(database.pragma('user_version', { simple: true }))
  if (version > TABLES_VERSION) {
    throw new Failure(
      'unavailable',
      `${database.name} was written by a newer Parlance (tables of version ${version}, this one knows ${TABLES_VERSION}): run that one, or restore a backup.`,
    )
  }
  if (version === TABLES_VERSION) return
  const isNew = database.prepare('select 1 from sqlite_schema limit 1').get() === undefined
  if (!isNew) copyTo(`${database.name}.before-${TABLES_VERSION}`, database)
  await alter(database)
  database.pragma(`user_version = ${TABLES_VERSION}`)
}

/** Refuses to start with empty accounts where the accounts were moved away. @throws Failure `unavailable` */
export function refuseMoved(dataDir: string): void {
  if (!existsSync(dataDir) || existsSync(join(dataDir, FILE))) return
  const moved = readdirSync(dataDir).find(name => name.startsWith(`${FILE}.moved-`))
  if (moved === undefined) return
  const words = `The accounts of ${dataDir} were moved into a database (${moved}): set CLUSTER to it, or move them back with \`parlance server accounts move --from\`.`
  throw new Failure('unavailable', words)
}

/** Copies whole or not at all; an existing copy stays. */
function copyTo(file: string, database: Database): void {
  if (existsSync(file)) return
  const unfinished = `${file}.tmp`
  rmSync(unfinished, { force: true })
  database.prepare('vacuum into ?').run(unfinished)
  chmodSync(unfinished, 0o600)
  renameSync(unfinished, file)
}

/**
 * Sets later commits to be durable: a revoked token must not come back with a power cut. Migrations come before it, as
 * they are repeated if lost.
 */
export function makeDurable(database: Database): void {
  database.pragma('synchronous = FULL')
}

/** Adds one membership per user and organization, API tokens, inboxes, the audit trail. */
export function addOwnTables(database: Database): void {
  database.exec('create unique index if not exists member_once on member (organizationId, userId)')
  const columns = database.pragma('table_info(api_token)') as { name: string }[]
  if (columns.length === 0) database.exec(tokenTable(SQLITE))
  else if (!hasScopes(database))
    rebuildTokens(
      database,
      columns.map(({ name }) => `"${name}"`),
    )
  database.exec(`${inboxTable(SQLITE)} ${machineTable(SQLITE)} ${jobTables(SQLITE)}`)
  database.exec(`${auditTables(SQLITE)} drop index if exists audit_time;`)
}

/** Whether the table of tokens accepts every scope. It then has every column. */
function hasScopes(database: Database): boolean {
  const sql = database.prepare<[], string>("select sql from sqlite_schema where name = 'api_token'").pluck().get()!
  return sql.includes(SCOPE_CHECK)
}

/** From versions 4 to 7. SQLite changes no check of a table that there is. @param present the names of its columns */
function rebuildTokens(database: Database, present: readonly string[]): void {
  const kept = present.join(', ')
  database.transaction(() =>
    database.exec(`
      drop index api_token_organization;
      alter table api_token rename to api_token_before;
      ${tokenTable(SQLITE)}
      insert into api_token (${kept}) select ${kept} from api_token_before order by rowid;
      drop table api_token_before;
    `),
  )()
}

/** The failure of a write that waited too long. */
export const noTurn = (): Failure => busy('Too many accounts are being changed just now; try again in a moment.')

/** The public failure for a full, read-only or damaged file, or of the cluster's database. Undefined for others. */
export function databaseFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error.code === 'unavailable' || error.code === 'no-space' ? error : undefined
  const code = String((error as { code?: unknown } | null)?.code)
  if (code === 'SQLITE_FULL') {
    return new Failure('no-space', 'The server has no disk space left; nothing was written.', { cause: code })
  }
  if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(code)) {
    return new Failure('unavailable', 'The accounts of the server are damaged; the operator has to look at them.', {
      cause: code,
    })
  }
  if (!/^SQLITE_(?:IOERR|READONLY|CANTOPEN|BUSY|LOCKED)/.test(code)) return undefined
  return new Failure('unavailable', 'The server cannot write to its disk now; nothing was written.', { cause: code })
}
