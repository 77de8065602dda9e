/** What accounts that several nodes share are opened with. `auth/` knows neither the driver nor the nodes. */
import { accountsFailure } from '../postgres-errors.ts'

/**
 * A pool of connections to the primary, such as `pg`'s. A new connection reads only what no failover can lose. One that
 * says nothing in a transaction for some seconds is ended by the server, so that its locks do not outlive a stopped
 * node.
 */
export interface SharedPool {
  connect(): Promise<SharedClient>
}

/** One connection of a {@link SharedPool}. */
export interface SharedClient {
  /**
   * Runs a statement, or several without values, which give a list of results; `types` reads values as `pg`'s own do.
   */
  query(query: { text: string; values?: unknown[]; types?: SharedTypes }): Promise<{
    command: string
    rowCount: number | null
    rows: Record<string, unknown>[]
    fields: { name: string }[]
  }>
  /** @param broken true for one that is not to be used again */
  release(broken?: boolean): void
  /** Whether a commit of it did not wait for the standbys. */
  doubtful?: boolean
}

/** How values are read, by the numbers of their types. */
export interface SharedTypes {
  // biome-ignore lint/suspicious/noExplicitAny: as the driver has it
  getTypeParser(type: number, format?: any): (value: any) => unknown
}

export interface SharedAccountsOptions {
  pool: SharedPool
  /** The driver's own readers of values, such as `pg.types`. */
  types: SharedTypes
  /**
   * This node's id in the table `node`. Each commit holds that row, which must exist. Absent for a command of the
   * operator.
   */
  node?: () => string
  /**
   * Calls `heard` with the number of the newest announced change of the accounts, whenever it grows. The announcing
   * node is answered when that resolves. @returns what ends it
   */
  follow(heard: (seq: number) => Promise<void>): () => void
  /** Resolves when every node that answers reads has heard of the accounts' change of this number. @throws Failure */
  untilReplicated(seq: number): Promise<void>
}

/** Runs `use` in a transaction of its own. @param begin the statement that begins it, with more behind it */
export async function inTransaction<T>(
  { pool }: Pick<SharedAccountsOptions, 'pool'>,
  begin: string,
  use: (client: SharedClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isBroken = true
  try {
    await client.query({ text: begin })
    const done = await use(client)
    await client.query({ text: 'commit' })
    isBroken = false
    return done
  } catch (error) {
    throw accountsFailure(error)
  } finally {
    client.release(isBroken)
  }
}
