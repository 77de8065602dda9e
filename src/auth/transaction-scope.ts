/**
 * Runs an act of better-auth as one transaction: all of it is stored, or nothing. better-auth itself uses several
 * transactions for some acts, and none for others. Here all statements of an act share one connection from its first
 * write on. Not before: a password's hash must not be computed inside a transaction.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'

const underWay = new AsyncLocalStorage<TransactionScope>()

/** What was begun may outlive its act. */
const current = (): TransactionScope | undefined => {
  const one = underWay.getStore()
  return one?.isOver ? undefined : one
}

/**
 * Runs an act, as a part of the surrounding act if there is one. After a failed statement nothing of it is stored.
 * @param isDone whether the result reports success. better-auth hides failed statements: they are thrown then
 */
export async function inTransactionScope<T>(
  act: () => Promise<T>,
  isDone: (result: T) => boolean = () => true,
): Promise<T> {
  if (current()) return act()
  const one = new TransactionScope()
  let isKept = false
  try {
    const result = await underWay.run(one, act)
    if (one.failed && isDone(result)) throw one.failed.error
    isKept = one.failed === undefined
    return result
  } finally {
    await one.end(isKept)
  }
}

/** A driver that hands out the connection of the act under way, if there is one. */
export function withScopes(driver: Driver): Driver {
  return {
    init: () => driver.init(),
    acquireConnection: async () => {
      const one = current()
      return one ? new ScopedConnection(one, driver) : driver.acquireConnection()
    },
    releaseConnection: async one => {
      if (!(one instanceof ScopedConnection)) await driver.releaseConnection(one)
    },
    beginTransaction: async (one, settings) => {
      await (one instanceof ScopedConnection ? one.begin() : driver.beginTransaction(one, settings))
    },
    commitTransaction: async one => {
      if (!(one instanceof ScopedConnection)) await driver.commitTransaction(one)
    },
    rollbackTransaction: async one => {
      if (one instanceof ScopedConnection) one.undo()
      else await driver.rollbackTransaction(one)
    },
    destroy: () => driver.destroy(),
  }
}

class TransactionScope {
  isOver = false
  failed: { error: unknown } | undefined
  #held: Promise<{ driver: Driver; connection: DatabaseConnection }> | undefined

  /**
   * @throws what failed in this act before: SQLite may have ended the transaction then, and the rest would be on its
   * own
   */
  async run(driver: Driver, query: CompiledQuery) {
    if (this.failed) throw this.failed.error
    try {
      if (this.#held || query.query.kind !== 'SelectQueryNode')
        return await (await this.begin(driver)).connection.executeQuery(query)
      const connection = await driver.acquireConnection()
      return await connection.executeQuery(query).finally(() => driver.releaseConnection(connection))
    } catch (error) {
      this.failed ??= { error }
      throw error
    }
  }

  begin(driver: Driver) {
    this.#held ??= driver.acquireConnection().then(async connection => {
      try {
        await driver.beginTransaction(connection, {})
        return { driver, connection }
      } catch (error) {
        await driver.releaseConnection(connection)
        throw error
      }
    })
    return this.#held
  }

  async end(isKept: boolean): Promise<void> {
    this.isOver = true
    const held = await this.#held?.catch(() => undefined)
    if (held === undefined) return
    const { driver, connection } = held
    try {
      if (isKept) await driver.commitTransaction(connection)
      else await driver.rollbackTransaction(connection).catch(() => {})
    } finally {
      await driver.releaseConnection(connection)
    }
  }
}

/** A connection of an act, as better-auth gets it. */
class ScopedConnection implements DatabaseConnection {
  readonly #one
  readonly #driver

  constructor(one: TransactionScope, driver: Driver) {
    this.#one = one
    this.#driver = driver
  }

  executeQuery(query: CompiledQuery): Promise<never> {
    return this.#one.run(this.#driver, query) as Promise<never>
  }

  // biome-ignore lint/correctness/useYield: no caller reads rows one by one
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('An act reads whole results.')
  }

  async begin(): Promise<void> {
    await this.#one.begin(this.#driver)
  }

  undo(): void {
    this.#one.failed ??= { error: new Error('A part of the act was undone.') }
  }
}
