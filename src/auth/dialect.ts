/** How better-auth speaks to SQLite: by the one connection, in its turn. */
import { type DatabaseConnection, type Driver, SqliteDialect } from 'kysely'
import type { Database } from './database.ts'
import type { Slots } from './slots.ts'

/**
 * Every better-auth has a driver of its own, which keeps its own queries and transactions apart and knows nothing of the others on the
 * same connection. Here all of them take turns together, and with the writes of ours.
 */
export class SharedSqlite extends SqliteDialect {
  readonly #slot

  constructor(database: Database, slot: Slots) {
    super({ database })
    this.#slot = slot
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const slot = this.#slot
    const { acquireConnection, releaseConnection } = driver
    driver.acquireConnection = async () => {
      await slot.take()
      return acquireConnection.call(driver)
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
