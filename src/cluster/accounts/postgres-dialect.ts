/** Kysely on PostgreSQL: each connection learns the actor and the node before it writes. */
import { type Dialect, type Driver, PostgresDialect } from 'kysely'
import { actorFacts, currentActor, noteFailure } from '../../auth/actor.ts'
import { withScopes } from '../../auth/transaction-scope.ts'
import { Failure } from '../../bundle/errors.ts'
import { accountsFailure } from '../postgres-errors.ts'
import type { SharedClient, SharedPool, SharedTypes } from './options.ts'
import { inNumbers } from './transfer.ts'

const WRITES = /^\s*(?:insert|update|delete)\b/i
const BEGINS = /^\s*(?:begin|start)\b/i
const DOUBTFUL = 'The database did not wait for its standbys: look whether it was written before you try again.'
const ENDS = /^\s*(?:commit|rollback)\s*$/i

/** Attributes of writes, and their listener. */
export interface WriteWatch {
  node: () => string | undefined
  types: SharedTypes
  /** Is called when something was committed, or may have been. */
  wrote(): void
}

class JoiningPostgres extends PostgresDialect {
  override createDriver(): Driver {
    return withScopes(super.createDriver())
  }
}

export function sharedDialect(pool: SharedPool, watch: WriteWatch): Dialect {
  const types = inNumbers(watch.types)
  const known = new WeakMap<SharedClient, AttributedConnection>()
  const connect = async () => {
    const client = await pool.connect().catch(noted)
    const connection = known.get(client) ?? new AttributedConnection(client, watch, types)
    known.set(client, connection)
    return connection
  }
  return new JoiningPostgres({ pool: { connect, end: async () => {} } as never })
}

/** The same without a node or a listener: before a node joins, and for a command of the operator. */
export const quietDialect = ({ pool, types }: { pool: SharedPool; types: SharedTypes }): Dialect =>
  sharedDialect(pool, { node: () => '', types, wrote: () => {} })

/** Throws the error as its public failure, after noting it. */
function noted(error: unknown): never {
  const failure = accountsFailure(error)
  noteFailure(failure)
  throw failure
}

/** The actor and node that each connection was given, as JSON: dialects share connections. */
const attributesOf = new WeakMap<SharedClient, string>()

class AttributedConnection {
  readonly #client
  readonly #watch
  readonly #types
  #inTransaction = false
  #hasWritten = false
  #isBroken = false

  constructor(client: SharedClient, watch: WriteWatch, types: SharedTypes) {
    this.#client = client
    this.#watch = watch
    this.#types = types
  }

  async query(text: string, values: unknown[]) {
    try {
      if (!this.#inTransaction && (BEGINS.test(text) || WRITES.test(text))) await this.#setAttributes()
      if (BEGINS.test(text)) this.#inTransaction = true
      if (WRITES.test(text)) this.#hasWritten = true
      const result = await this.#client.query({ text, values, types: this.#types })
      if (this.#client.doubtful) throw new Failure('unavailable', DOUBTFUL, { doubtful: true })
      return result
    } catch (error) {
      // A statement that was refused leaves the connection as it was.
      this.#isBroken ||= !/^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))
      noted(error)
    } finally {
      if (ENDS.test(text)) this.#inTransaction = false
      if (!this.#inTransaction && this.#hasWritten) {
        this.#hasWritten = false
        this.#watch.wrote()
      }
    }
  }

  release(): void {
    const broken = this.#isBroken || this.#inTransaction
    this.#client.release(broken)
  }

  /** Sets the actor and node, outside of transactions: a rollback would undo it. */
  async #setAttributes(): Promise<void> {
    const who = JSON.stringify([actorFacts(currentActor()), this.#watch.node() ?? ''])
    if (who === attributesOf.get(this.#client)) return
    const [acting, node] = JSON.parse(who)
    const text = `select set_config('parlance.acting', $1, false), set_config('parlance.node', $2, false)`
    await this.#client.query({ text, values: [JSON.stringify(acting), node] })
    attributesOf.set(this.#client, who)
  }
}
