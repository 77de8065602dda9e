/** Where the accounts are stored: SQLite in the data folder, or a database that all nodes share. */
import type { Database } from 'better-sqlite3'
import type { BetterAuthDatabase, RunSql } from './dialect.ts'
import type { AccountsSnapshot } from './snapshot.ts'
import type { ExclusiveAct } from './transaction-scope.ts'

/** How an act is done. */
export interface ActOptions<T> {
  /** One of a kind at a time, on the newest state. */
  exclusive?: ExclusiveAct | undefined
  isDone?: (result: T) => boolean
}

export interface Engine {
  /** For the synchronous statements of every request; nothing else is to be written there. */
  readonly reads: Database
  /** Signs session cookies where the setting does not say another. */
  readonly secret: string
  /** What better-auth writes to. */
  betterAuth(): Promise<BetterAuthDatabase>
  /** Asks for what no request needs at once. */
  query<T>(read: (run: RunSql) => Promise<T>): Promise<T>
  /**
   * Runs a write of our own, between better-auth's transactions and before all that wait. It is durable when this
   * resolves. @throws Failure `unavailable` when its turn does not come
   */
  change<T>(write: (run: RunSql) => Promise<T>): Promise<T>
  /**
   * Resolves when {@link Engine.reads} of every node show what was written before the call. Writes that rested on a
   * revoked right are durable or refused then.
   * @param what by default what this process wrote
   */
  untilReplicated(what?: 'by any node'): Promise<void>
  /** Runs an act by better-auth, see {@link inTransactionScope}. Nothing of {@link Engine.change} belongs in it. */
  act<T>(run: () => Promise<T>, how?: ActOptions<T>): Promise<T>
  /** Notes a token's use if it can now. @param time milliseconds since 1970 */
  touch(token: string, time: number): boolean
  /** Differs when tokens may have been changed by others than this process. Cheap enough for once a second. */
  version(): number
  /** Calls back for other processes' changes, where the engine hears of them. */
  onForeign(foreign: ForeignChanges): void
  /** See {@link countChanges}. */
  changes(): number
  /** See {@link snapshotAccounts}. */
  snapshot(file: string, known?: string): Promise<AccountsSnapshot>
  close(): Promise<void> | void
}

/** Reactions to the changes of another process. */
export interface ForeignChanges {
  /** Tokens may have changed. */
  tokens(): void
  /** An organization is gone, which this process may have deleted itself. */
  gone(organization: string): unknown
}
