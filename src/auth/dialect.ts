/** better-auth's SQLite: the one connection, in turn. */
import { type CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect } from 'kysely'
import type { Database } from '../sqlite.ts'
import type { Slots } from './slots.ts'

/** better-auth's drivers know nothing of others on the connection. Here all take turns. */
export class SharedSqlite extends SqliteDialect {
  readonly #slot
  readonly #note

  /** @param note is told SQLite's errors: better-auth's own hide that the disk is full */
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
    // Whoever opened the database closes it.
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
