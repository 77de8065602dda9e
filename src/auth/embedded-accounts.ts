/**
 * The accounts in SQLite's file in the data folder, which this process has for itself but for the operator's commands.
 */

import type { Database } from 'better-sqlite3'
import { FairSlots } from '../scheduling/fair-slots.ts'
import { createAuditTriggers } from './audit-rules.ts'
import { databaseFailure, makeDurable, migrateTables, noTurn, openDatabase, refuseMoved } from './database.ts'
import type { RunSql } from './dialect.ts'
import type { ActOptions, Engine } from './engine.ts'
import { loadSecret } from './secret.ts'
import { type AccountsSnapshot, countChanges, snapshotAccounts } from './snapshot.ts'
import { exclusiveActs, inTransactionScope } from './transaction-scope.ts'

/** Milliseconds. Each holder uses the connection for a few statements: a longer wait means a fault. */
const LONGEST_WAIT = 10_000
/** Our own writes, such as a revocation, share the turns evenly with better-auth's crowds. */
const OWN_WRITES = { claimant: { organization: 'own writes', credential: '' } }

export class EmbeddedAccounts implements Engine {
  readonly reads: Database
  readonly secret: string
  /**
   * The one connection to SQLite serves one at a time. better-auth's transactions span several awaits: another write
   * meanwhile would be part of one, and lost with it, even a revocation.
   */
  readonly #connection = new FairSlots(1, Number.POSITIVE_INFINITY)
  readonly #single = exclusiveActs()
  readonly #touch
  #changes: (() => number) | undefined
  #run: Promise<RunSql> | undefined

  /** @param database migrated @param now milliseconds since 1970 */
  constructor(database: Database, secret: string, now: () => number = Date.now) {
    this.reads = database
    this.secret = secret
    this.#touch = database.prepare('update api_token set "lastUsedAt" = ? where id = ?')
    createAuditTriggers(database, now)
  }

  /**
   * Opens DATA_DIR/parlance.sqlite and updates its tables.
   * @param given `secret` replaces the one in DATA_DIR/secret
   * @throws Failure `unavailable` when the stored secret is damaged, a newer Parlance has written the tables, or the
   * accounts were moved elsewhere
   */
  static async open(dataDir: string, given: { secret?: string; now?: () => number } = {}): Promise<EmbeddedAccounts> {
    refuseMoved(dataDir)
    const database = openDatabase(dataDir)
    try {
      await migrateTables(database, async () => (await import('./better-auth.ts')).migrate(database))
      makeDurable(database)
      return new EmbeddedAccounts(database, given.secret ?? loadSecret(dataDir), given.now)
    } catch (error) {
      database.close()
      throw error
    }
  }

  async betterAuth() {
    const { QueuedSqliteDialect } = await import('./dialect.ts')
    return {
      dialect: new QueuedSqliteDialect(this.reads, this.#connection),
      type: 'sqlite',
      transaction: true,
    } as const
  }

  async query<T>(read: (run: RunSql) => Promise<T>): Promise<T> {
    return read(await this.#statements())
  }

  async change<T>(write: (run: RunSql) => Promise<T>): Promise<T> {
    const run = await this.#statements()
    const patience = AbortSignal.timeout(LONGEST_WAIT)
    const release = await this.#connection.acquire(patience, OWN_WRITES).catch(() => undefined)
    if (release === undefined) throw noTurn()
    try {
      return await write(run)
    } finally {
      release()
    }
  }

  async untilReplicated(): Promise<void> {}

  act<T>(run: () => Promise<T>, { exclusive, isDone }: ActOptions<T> = {}): Promise<T> {
    const act = () => inTransactionScope(run, isDone)
    return exclusive ? this.#single[exclusive].inTurn(undefined, noTurn, act) : act()
  }

  /** A read-only disk must not end reads. */
  touch(token: string, time: number): boolean {
    // Another's transaction may be rolled back.
    if (this.reads.inTransaction) return false
    try {
      this.#touch.run(time, token)
      return true
    } catch (error) {
      if (databaseFailure(error) === undefined) throw error
      return false
    }
  }

  version(): number {
    return Number(this.reads.pragma('data_version', { simple: true }))
  }

  onForeign(): void {}

  changes(): number {
    this.#changes ??= countChanges(this.reads)
    return this.#changes()
  }

  snapshot(file: string, known?: string): Promise<AccountsSnapshot> {
    // In turn: of this connection the copy would hold an act that is under way.
    return snapshotAccounts(
      () => this.#connection.inTurn(undefined, noTurn, () => this.reads.backup(file)),
      file,
      known,
    )
  }

  close(): void {
    this.reads.close()
  }

  #statements(): Promise<RunSql> {
    this.#run ??= import('./dialect.ts').then(({ runSqlOnSqlite: runOnSqlite }) => runOnSqlite(this.reads))
    return this.#run
  }
}
