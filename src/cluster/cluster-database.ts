/** PostgreSQL as a node has it: its primary, found among several hosts, and pools of connections to that one. */
import { setTimeout as pause } from 'node:timers/promises'
import { Client, Pool, type PoolClient, type QueryResult, types } from 'pg'
import { Failure } from '../bundle/errors.ts'
import type { Log } from '../scheduling/background.ts'
import type { SharedAccountsOptions } from './accounts/options.ts'
import { type Durability, durabilityOf, warningOf, whyUnsafe } from './durability.ts'
import { engineAway, isOfPrimary, isOfSql } from './postgres-errors.ts'

/** How the engine is reached. */
export interface ClusterDatabaseOptions {
  /** One address for each host. */
  urls: readonly string[]
  log: Log
  /** Whether the operator answers for the durability of the database, so that it is not checked. */
  managed?: boolean
}

/** A connection, and whether a commit on it may be unsafe: PostgreSQL says success when such a wait is cancelled. */
export type ClusterConnection = PoolClient & { doubtful?: boolean; backend?: ServerProcess; pool?: Pool }

/** The server process behind a connection: its id alone may come again. */
export interface ServerProcess {
  pid: number
  since: string
}

/** What connections are for: one kind must not wait for another. */
export type PoolName = 'log' | 'accounts' | 'lease'

const SIZES: Record<PoolName, number> = { log: 8, accounts: 6, lease: 4 }
const CONNECT_MS = 2000
/** Longest wait for a statement, and for a commit's standbys. */
const STATEMENT_MS = 5000
/** PostgreSQL ends a transaction that says nothing for that long: its locks must not outlive a paused node. */
const IDLE_MS = 10_000
/** Less than {@link STATEMENT_MS}: a locked row is no sign of a lost engine. */
const LOCK_MS = 4000
/** An engine that was away a moment ago is not looked for at every request. */
const AGAIN_MS = 200

/** The primary of one moment. */
interface Primary {
  host: string
  pools: Record<PoolName, Pool>
}

/** A host that is a primary. */
interface PrimaryHost {
  url: string
  host: string
  durability: Durability
}

interface Sentinel {
  url: string
  timeline: number
  client: Client
  passed: Promise<unknown>
}

const NEVER = new Promise<void>(() => {})
/**
 * Milliseconds of silence before a connection is probed. A server that ended while the line was down has closed none:
 * the probe finds the connection lost.
 */
const ASKED = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
/** Time for a second primary to say that it is one, too. */
const OTHERS_MS = 100

/** See the top of the file. */
export class ClusterDatabase {
  readonly #options: ClusterDatabaseOptions
  #primary: Primary | undefined
  #finding: Promise<Primary> | undefined
  #failed: { at: number; failure: Failure } | undefined
  /** The first commit at a primary, which may wait for its standbys for long. */
  #sentinel: Sentinel | undefined
  #isFirst = true
  #closed = false

  constructor(options: ClusterDatabaseOptions) {
    this.#options = options
  }

  /** Host and port of the primary, as far as known; never a password. */
  get host(): string | undefined {
    return this.#primary?.host
  }

  /**
   * A connection to the primary. It began with a synchronous commit, so that nothing that it shows is lost with this
   * primary: a commit that still waited for its standbys is seen after a restart, and gone after a failover.
   * @throws Failure `unavailable`
   */
  async connect(lane: PoolName): Promise<ClusterConnection> {
    for (let tries = 0; ; tries++) {
      const primary = this.#primary ?? (await this.#find())
      try {
        return await primary.pools[lane].connect()
      } catch (error) {
        if (error instanceof Failure) throw error
        this.lost(primary.pools[lane], error)
        if (tries > 0) throw engineAway(error)
      }
    }
  }

  /**
   * Runs `use` on a connection. One that fails below SQL, or is late, is thrown away.
   * @throws Failure `unavailable` with its cause; whether what was asked was done is then unknown. Errors of SQL, and
   * Failures of `use`, as they are
   */
  async run<T>(
    lane: PoolName,
    use: (connection: ClusterConnection) => Promise<T>,
    milliseconds = STATEMENT_MS,
  ): Promise<T> {
    const connection = await this.connect(lane)
    let isBroken = true
    try {
      const result = await inTime(use(connection), milliseconds)
      isBroken = false
      return result
    } catch (error) {
      isBroken = !(error instanceof Failure) && !isOfSql(error)
      if (isBroken || isOfPrimary(error)) {
        this.lost(connection, error)
        throw engineAway(error)
      }
      throw error
    } finally {
      connection.release(isBroken)
    }
  }

  /** One statement. @throws as {@link run} does */
  query<T extends object>(lane: PoolName, text: string, values: unknown[] = []): Promise<T[]> {
    return this.run(lane, async connection => (await connection.query<T>(text, values)).rows)
  }

  /** Several statements in one transaction. @throws as {@link run} does */
  transaction<T>(lane: PoolName, use: (connection: ClusterConnection) => Promise<T>): Promise<T> {
    const work = async (connection: ClusterConnection) => {
      await connection.query('begin')
      try {
        const result = await use(connection)
        await connection.query('commit')
        return result
      } catch (error) {
        if (error instanceof Failure || isOfSql(error)) await connection.query('rollback')
        throw error
      }
    }
    return this.run(lane, work)
  }

  /** How the accounts reach the database. */
  get accounts(): Pick<SharedAccountsOptions, 'pool' | 'types'> {
    return { pool: { connect: () => this.connect('accounts') } as SharedAccountsOptions['pool'], types }
  }

  /**
   * Notes that a connection failed: the primary is looked for again. A late failure of an older connection changes
   * nothing.
   */
  lost(whose: Pool | ClusterConnection, error: unknown): void {
    const primary = this.#primary
    const pool = whose instanceof Pool ? whose : whose.pool
    if (primary === undefined || !Object.values(primary.pools).includes(pool as Pool)) return
    this.#primary = undefined
    if (!this.#closed)
      this.#options.log.warn({ err: error, host: primary.host }, 'the database of the cluster was lost')
    void endPools(primary)
  }

  async close(): Promise<void> {
    this.#closed = true
    void this.#sentinel?.client.end().catch(() => {})
    const primary = this.#primary
    this.#primary = undefined
    if (primary) await endPools(primary)
  }

  #find(): Promise<Primary> {
    if (this.#closed) return Promise.reject(engineAway())
    if (this.#failed && performance.now() - this.#failed.at < AGAIN_MS) return Promise.reject(this.#failed.failure)
    this.#finding ??= this.#look().finally(() => {
      this.#finding = undefined
    })
    return this.#finding
  }

  async #look(): Promise<Primary> {
    try {
      const newest = await this.#newest()
      this.#judge(newest.durability, newest.host)
      await this.#passes(newest)
      this.#isFirst = false
      this.#failed = undefined
      const pools = Object.fromEntries(
        Object.entries(SIZES).map(([lane, max]) => [lane, this.#open(newest.url, max, lane as PoolName)]),
      ) as Record<PoolName, Pool>
      this.#primary = { host: newest.host, pools }
      if (this.#closed) await this.close()
      return this.#primary ?? Promise.reject(engineAway())
    } catch (error) {
      const failure = error instanceof Failure ? error : engineAway(error)
      this.#failed = { at: performance.now(), failure }
      throw failure
    }
  }

  /** @throws Failure `unavailable` for a database that would acknowledge what it can lose */
  #judge(durability: Durability, host: string): void {
    if (this.#options.managed) return
    const why = whyUnsafe(durability)
    if (why !== undefined) throw new Failure('unavailable', why, { retryAfter: 30 })
    const warning = warningOf(durability)
    if (warning === undefined) return
    // Later the standby may belong to a copy of the database: no reason to end a running server.
    if (this.#isFirst) throw new Failure('unavailable', warning)
    this.#options.log.warn({ host }, warning)
  }

  /** @throws Failure without a primary. Hosts that are silent are waited for only until another one is found */
  async #newest(): Promise<PrimaryHost> {
    const found: PrimaryHost[] = []
    const errors: unknown[] = []
    const asking = this.#options.urls.map(async url => {
      const answer = await this.#ask(url)
      if (!('durability' in answer)) return void errors.push(answer.error)
      found.push(answer)
      // Others may be primaries as well.
      await pause(OTHERS_MS)
    })
    await Promise.race([Promise.all(asking), ...asking.map(one => one.then(() => (found.length ? undefined : NEVER)))])
    // After a promotion the old one may still be there: it knows of fewer timelines.
    const [newest] = found.sort((a, b) => b.durability.timeline - a.durability.timeline)
    if (newest === undefined) throw engineAway(errors[0])
    return newest
  }

  /**
   * Waits for a commit there. A commit that waits for standbys goes on waiting here, as its process at the server does:
   * each further one would occupy one of the server's connections for as long.
   * @throws Error when it has not come through yet
   */
  async #passes({ url, durability: { timeline } }: PrimaryHost): Promise<void> {
    if (this.#sentinel?.url !== url || this.#sentinel.timeline !== timeline) {
      void this.#sentinel?.client.end().catch(() => {})
      const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, ...ASKED })
      client.on('error', () => {})
      const passed = client.connect().then(() => client.query(OPENING))
      this.#sentinel = { url, timeline, client, passed }
    }
    const sentinel = this.#sentinel
    const forget = () => {
      if (this.#sentinel === sentinel) this.#sentinel = undefined
      void sentinel.client.end().catch(() => {})
    }
    sentinel.passed.then(forget, forget)
    await inTime(sentinel.passed, CONNECT_MS)
  }

  async #ask(url: string): Promise<PrimaryHost | { error: unknown }> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS })
    client.on('error', () => {})
    try {
      await client.connect()
      const durability = await durabilityOf(text => client.query(text))
      const error = new Error(`${client.host}:${client.port} is a standby.`)
      return durability ? { url, host: `${client.host}:${client.port}`, durability } : { error }
    } catch (error) {
      return { error }
    } finally {
      void client.end().catch(() => {})
    }
  }

  #open(url: string, max: number, lane: PoolName): Pool {
    const pool: Pool = new Pool({
      connectionString: url,
      max,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: CONNECT_MS * 2,
      ...ASKED,
      application_name: `parlance ${lane}`,
      // No other timeout ends those of the accounts.
      ...(lane === 'accounts' && { query_timeout: STATEMENT_MS * 2 }),
      onConnect: async one => {
        const client = one as ClusterConnection
        client.pool = pool
        client.on('error', error => this.lost(pool, error))
        client.on('notice', notice => {
          // The words depend on the server's language, the place where they are said does not.
          if (notice.routine === 'SyncRepWaitForLSN') client.doubtful = true
        })
        const results = (await inTime(client.query(OPENING), CONNECT_MS)) as unknown as QueryResult<ServerProcess>[]
        // What it shows may be lost with this primary, and nothing that is written on it may be called doubtful for
        // that.
        if (client.doubtful) throw new Error('PostgreSQL gave up waiting for its standbys.')
        const [row] = results.find(({ rows }) => rows[0]?.pid !== undefined)?.rows ?? []
        if (row) client.backend = row
      },
    })
    pool.on('error', error => this.lost(pool, error))
    return pool
  }
}

/** Settings of a session, over those of the server, and the commit that its reads come after. */
const OPENING = `
  set statement_timeout = 0; set lock_timeout = ${LOCK_MS}; set idle_in_transaction_session_timeout = ${IDLE_MS};
  set default_transaction_isolation = 'read committed'; set default_transaction_read_only = off;
  select pg_backend_pid() as pid, backend_start::text as since from pg_stat_activity where pid = pg_backend_pid();
  select pg_logical_emit_message(true, 'parlance', 'open')`

const endPools = ({ pools }: Primary) => Promise.all(Object.values(pools).map(pool => pool.end().catch(() => {})))

/** Runs `use` on a database for a single task. @throws Failure `unavailable` */
export async function withClusterDatabase<T>(
  options: ClusterDatabaseOptions,
  use: (engine: ClusterDatabase) => Promise<T>,
): Promise<T> {
  const engine = new ClusterDatabase(options)
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** @throws Error when the time is over */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  // A signal to a pause would cost a tenth of a statement.
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const why = () => reject(new Error(`It has not answered within ${milliseconds} ms.`))
    timer = setTimeout(why, milliseconds)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
