/** The part of shared accounts that every request asks, in this process's memory: tables as SQLite's file has them. */
import Sqlite, { type Database } from 'better-sqlite3'

/**
 * The tables that are copied, with what the requests look them up by. Passwords and second factors stay where they are.
 */
const TABLES: Record<string, string[]> = {
  user: [],
  session: ['"token"', '"userId"'],
  organization: ['"slug"'],
  member: ['"userId"', '"organizationId", "userId"'],
  invitation: ['lower("email")'],
  api_token: ['"hash"', '"organizationId"'],
}

/** See {@link TABLES}. */
export const REPLICATED = Object.keys(TABLES)

/** A row by its columns; its key is `id`. */
export type AccountRow = Record<string, unknown>

/** Changed rows: as they are now, undefined when gone. */
export type ChangedRows = Map<string, Map<string, AccountRow | undefined>>

export class AccountsReplica {
  readonly database: Database = new Sqlite(':memory:')
  readonly #columns = new Map<string, string[]>()

  /** @param columns of each table, which stay as they are while other nodes may add some */
  constructor(columns: (table: string) => string[]) {
    for (const [table, indexes] of Object.entries(TABLES)) {
      const names = columns(table)
      this.#columns.set(table, names)
      const all = names.map(name => (name === 'id' ? '"id" primary key' : `"${name}"`))
      this.database.exec(`create table "${table}" (${all.join(', ')})`)
      indexes.forEach((index, at) => {
        this.database.exec(`create index "${table}_${at}" on "${table}" (${index})`)
      })
    }
  }

  /** A row as it stands here. */
  row(table: string, id: string): AccountRow | undefined {
    return this.database.prepare<[string], AccountRow>(`select * from "${table}" where id = ?`).get(id)
  }

  /** Replaces rows by their ids, all in one transaction. @param isWhole whether all other rows are deleted */
  apply(changed: ChangedRows, isWhole = false): void {
    this.database.transaction(() => {
      for (const table of REPLICATED) {
        if (isWhole) this.database.exec(`delete from "${table}"`)
        const rows = changed.get(table)
        if (rows === undefined) continue
        const columns = this.#columns.get(table)!
        const put = this.database.prepare(
          `insert or replace into "${table}" (${columns.map(name => `"${name}"`)}) values (${columns.map(() => '?')})`,
        )
        const remove = this.database.prepare(`delete from "${table}" where id = ?`)
        for (const [id, row] of rows) {
          if (row === undefined) remove.run(id)
          else put.run(columns.map(name => asInSqlite(row[name])))
        }
      }
    })()
  }
}

/** A value of PostgreSQL as better-auth and we write it in SQLite. */
export function asInSqlite(value: unknown): string | number | Buffer | null {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string' || typeof value === 'number' || Buffer.isBuffer(value)) return value
  if (value === undefined || value === null) return null
  return JSON.stringify(value)
}
