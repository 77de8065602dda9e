/**
 * Runs an act of better-auth as one transaction: all of it is stored, or nothing. better-auth itself uses several
 * transactions for some acts, and none for others. Here all statements of an act share one connection from its first
 * write on. Not before: a password's hash must not be computed inside a transaction.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'
import { FairSlots } from '../scheduling/fair-slots.ts'

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

/** Acts that run one at a time in the whole cluster. */
export type ExclusiveAct = 'an act by right' | 'the first user'

/** A slot for each {@link ExclusiveAct} in this process. */
export const exclusiveActs = (): Record<ExclusiveAct, FairSlots> => ({
  'an act by right': new FairSlots(1, Number.POSITIVE_INFINITY),
  'the first user': new FairSlots(1, Number.POSITIVE_INFINITY),
})

/** A driver that hands out the connection of the act under way, if there is one. */
export function withScopes(driver: Driver): Driver {
  return {
    init: () => driver.init(),
    acquireConnection: async () => current()?.over(driver) ?? driver.acquireConnection(),
    releaseConnection: async one => {
      if (!(one instanceof TransactionScope)) await driver.releaseConnection(one)
    },
    beginTransaction: async (one, settings) => {
      await (one instanceof TransactionScope ? one.begin() : driver.beginTransaction(one, settings))
    },
    commitTransaction: async one => {
      if (!(one instanceof TransactionScope)) await driver.commitTransaction(one)
    },
    rollbackTransaction: async one => {
      if (one instanceof TransactionScope) one.failed ??= { error: new Error('A part of the act was undone.') }
      else await driver.rollbackTransaction(one)
    },
    destroy: () => driver.destroy(),
  }
}

/** An act, as the one connection that better-auth gets for it. */
class TransactionScope implements DatabaseConnection {
  isOver = false
  failed: { error: unknown } | undefined
  #driver: Driver | undefined
  #held: Promise<DatabaseConnection> | undefined

  /** This, over the first driver that is asked: all of an act reach the same database. */
  over(driver: Driver): this {
    this.#driver ??= driver
    return this
  }

  /**
   * @throws what failed in this act before: SQLite may have ended the transaction then, and the rest would be on its
   * own
   */
  async executeQuery(query: CompiledQuery): Promise<never> {
    if (this.failed) throw this.failed.error
    try {
      if (this.#held || query.query.kind !== 'SelectQueryNode')
        return (await (await this.begin()).executeQuery(query)) as never
      const driver = this.#driver!
      const connection = await driver.acquireConnection()
      return (await connection.executeQuery(query).finally(() => driver.releaseConnection(connection))) as never
    } catch (error) {
      this.failed ??= { error }
      throw error
    }
  }

  // biome-ignore lint/correctness/useYield: no caller reads rows one by one
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('An act reads whole results.')
  }

  begin(): Promise<DatabaseConnection> {
    const driver = this.#driver!
    this.#held ??= driver.acquireConnection().then(async connection => {
      try {
        await driver.beginTransaction(connection, {})
        return connection
      } catch (error) {
        await driver.releaseConnection(connection)
        throw error
      }
    })
    return this.#held
  }

  async end(isKept: boolean): Promise<void> {
    this.isOver = true
    const connection = await this.#held?.catch(() => undefined)
    if (connection === undefined) return
    const driver = this.#driver!
    try {
      if (isKept) await driver.commitTransaction(connection)
      else await driver.rollbackTransaction(connection).catch(() => {})
    } finally {
      await driver.releaseConnection(connection)
    }
  }
}
