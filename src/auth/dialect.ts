/** How better-auth speaks to SQLite: by the one connection, in its turn. */
import { type CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect } from 'kysely'
import type { Database } from '../sqlite.ts'
import type { Slots } from './slots.ts'

/**
 * Every better-auth has a driver of its own, which knows nothing of others on the same connection. Here they all take
 * turns together, and with our own writes.
 */
export class SharedSqlite extends SqliteDialect {
  readonly #slot
  readonly #note

  /** @param note is told what SQLite fails with: of better-auth's errors nobody could tell that the disk is full */
  constructor(database: Database, slot: Slots, note: (error: unknown) => void) {
    super({ database })
    this.#slot = slot
    this.#note = note
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const [slot, note] = [this.#slot, this.#note]
    const { acquireConnection, releaseConnection } = driver
    driver.acquireConnection = async () => {
      await slot.take()
      return noting(await acquireConnection.call(driver), note)
    }
    driver.releaseConnection = async (connection: DatabaseConnection) => {
      await releaseConnection.call(driver, connection)
      slot.release()
    }
    // Who opened the database closes it.
    driver.destroy = async () => {}
    return driver
  }
}

function noting(connection: DatabaseConnection, note: (error: unknown) => void): DatabaseConnection {
  return {
    executeQuery: async <R>(query: CompiledQuery) => {
      try {
        return await connection.executeQuery<R>(query)
      } catch (error) {
        note(error)
        throw error
      }
    },
    streamQuery: (query, size) => connection.streamQuery(query, size),
  }
}
