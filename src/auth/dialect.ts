/** Kysely on SQLite: the one connection, in turn. Loaded on first need. */

import type { Database } from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SqliteDialect,
  sql,
} from 'kysely'
import type { FairSlots } from '../scheduling/fair-slots.ts'
import { noteFailure } from './actor.ts'
import { withScopes } from './transaction-scope.ts'

/** A `database` of better-auth's options. */
export interface BetterAuthDatabase {
  dialect: Dialect
  type: 'sqlite' | 'postgres'
  transaction: true
}

/**
 * Runs a statement of our own in SQL that both dialects understand. Names in camel case stand in quotes. A parameter is
 * cast when its context does not fix its type.
 */
export type RunSql = <R = unknown>(
  statement: TemplateStringsArray,
  ...parameters: (string | number | Buffer | null)[]
) => Promise<{ rows: R[]; changes: number }>

/** better-auth's drivers assume a connection of their own. Here they queue for the one connection. */
export class QueuedSqliteDialect extends SqliteDialect {
  readonly #slot

  constructor(database: Database, slot: FairSlots) {
    super({ database })
    this.#slot = slot
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const slot = this.#slot
    const { acquireConnection, releaseConnection } = driver
    let release: (() => void) | undefined
    driver.acquireConnection = async () => {
      const acquired = await slot.acquire()
      release = acquired
      return noting(await acquireConnection.call(driver))
    }
    driver.releaseConnection = async (connection: DatabaseConnection) => {
      await releaseConnection.call(driver, connection)
      release?.()
    }
    // The opener of the database closes it.
    driver.destroy = async () => {}
    return withScopes(driver)
  }
}

/** Statements of our own; a writer holds the slot. */
export const runSqlOnSqlite = (database: Database): RunSql => runSqlOn(new SqliteDialect({ database }))

/** Statements of our own by a dialect of Kysely. */
export function runSqlOn(dialect: Dialect): RunSql {
  const kysely = new Kysely<unknown>({ dialect })
  return async <R>(statement: TemplateStringsArray, ...parameters: unknown[]) => {
    const { rows, numAffectedRows } = await sql<R>(statement, ...parameters).execute(kysely)
    return { rows, changes: Number(numAffectedRows ?? 0) }
  }
}

/** A connection that notes the driver's errors: better-auth's own hide that the disk is full. */
function noting(connection: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery: async <R>(query: CompiledQuery) => {
      try {
        return await connection.executeQuery<R>(query)
      } catch (error) {
        noteFailure(error)
        throw error
      }
    },
    streamQuery: (query, size) => connection.streamQuery(query, size),
  }
}
