/** This server as a node of a cluster over PostgreSQL: the parts for the store, the accounts and the app. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { runSqlOn } from '../auth/dialect.ts'
import type { Engine } from '../auth/engine.ts'
import type { EngineOptions } from '../auth/options.ts'
import { Failure } from '../bundle/errors.ts'
import type { ClusterStatus } from '../http/answers/node-status.ts'
import type { Background, Log } from '../scheduling/background.ts'
import type { SharedLog } from '../store/write/shared-log.ts'
import { sharedSecret } from './accounts/load-accounts.ts'
import { quietDialect } from './accounts/postgres-dialect.ts'
import { SharedAccounts } from './accounts/shared-accounts.ts'
import { ClusterDatabase } from './cluster-database.ts'
import { ClusterNode } from './cluster-node.ts'
import { type LockedWork, LockHolder } from './lock-holder.ts'
import { memberOf } from './member.ts'
import { peerRoutes } from './peer-routes.ts'
import { PostgresLog } from './postgres-log.ts'
import { sharedLogOver } from './replication/organization-replica.ts'
import { RepositoryExchange } from './repository-exchange.ts'
import { LOCKS, migrate } from './schema.ts'
import { SealedPositions } from './sealed-positions.ts'
import { ACCOUNTS } from './stream-positions.ts'

/** What a node is opened with. */
export interface ClusterOptions {
  urls: readonly string[]
  nodeUrl: string
  /** Milliseconds. */
  readsWithoutEngine: number
  managed: boolean
  dataDir: string
  hasBackup: boolean
  background: Background
  log: Log
}

const STATUS_MS = 1000
const BEHIND_MS = 30_000
const BACKED_UP_MS = 30_000

const AWAY = 'The database of the cluster has been away for too long: this node may not know what has changed.'
const NO_WRITES = 'The database of the cluster cannot be reached, so nothing was written: try again soon.'

/** See the top of the file. */
export class Cluster {
  readonly #log: PostgresLog
  /** Whether a request is the nodes' own; it is answered then. */
  readonly answers: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly #options: ClusterOptions
  readonly #engine: ClusterDatabase
  readonly #node: ClusterNode
  readonly #sealed: SealedPositions
  readonly #repositories: RepositoryExchange
  #holder: LockHolder | undefined
  #jobsHolder: LockHolder | undefined
  #nodes: ClusterStatus['nodes'] = []
  #asked = Number.NEGATIVE_INFINITY
  /** When {@link #nodes} were as they say. */
  #answered = 0

  private constructor(options: ClusterOptions, engine: ClusterDatabase, member: string, secret: string) {
    const { nodeUrl: url, background, log, hasBackup, readsWithoutEngine } = options
    this.#options = options
    this.#engine = engine
    this.#node = new ClusterNode({ engine, member, url, secret, readsWithoutEngine, background, log })
    this.#sealed = new SealedPositions({ engine, member, background, hasBackup })
    const [node, sealed] = [this.#node, this.#sealed]
    this.#repositories = new RepositoryExchange(node, log)
    const repositories = this.#repositories
    const fetch = (id: string, gitDir: string) => repositories.fetch(id, gitDir)
    this.#log = new PostgresLog({ engine, node, sealed, background, fetch })
    this.answers = peerRoutes({ node, secret, bundle: (id, response) => repositories.serve(id, response) })
  }

  /** @throws Failure `unavailable` when the database cannot be used, and why */
  static async open(options: ClusterOptions): Promise<Cluster> {
    const { urls, log, managed, dataDir } = options
    const engine = new ClusterDatabase({ urls, log, managed })
    try {
      await migrate(engine)
      const secret = await sharedSecret(runSqlOn(quietDialect(engine.accounts)), 'nodes')
      return new Cluster(options, engine, await memberOf(dataDir), secret)
    } catch (error) {
      await engine.close()
      const { cause } = error as { cause?: unknown }
      if (!(error instanceof Failure) || !(cause instanceof Error)) throw error
      const why = cause.message || String((cause as NodeJS.ErrnoException).code)
      throw Object.assign(new Failure('unavailable', `The database of CLUSTER cannot be used: ${why}`), { cause })
    }
  }

  /** The log that the store writes to. */
  get sharedLog(): SharedLog {
    return sharedLogOver(this.#log)
  }

  /** Organizations that the log has no entry of, not even their beginning. @throws Failure `unavailable` */
  unknown(organizations: readonly string[]): Promise<string[]> {
    return this.#log.unknown(organizations)
  }

  /** Opens the accounts in the cluster's database. @throws Failure `unavailable` */
  openAccounts(options: EngineOptions): Promise<Engine> {
    const node = this.#node
    const shared = {
      ...this.#engine.accounts,
      node: () => node.requireMembership(),
      follow: (heard: (seq: number) => Promise<void>) =>
        node.positions.follow(ACCOUNTS, ({ committed }) => heard(committed)),
      untilReplicated: (seq: number) => node.announcer.untilReplicated(ACCOUNTS, seq),
    }
    return SharedAccounts.open(shared, options)
  }

  /** What the store is asked for, once it is open. */
  serveFrom(store: {
    settleAll(): Promise<void>
    readGit: Parameters<RepositoryExchange['servedBy']>[0]
    /** Opens an organization, catches up and seals. */
    keepUp(organization: string): Promise<void>
    fromBackup?: Parameters<RepositoryExchange['servedBy']>[1]
  }): void {
    this.#node.settleWith(() => store.settleAll())
    this.#repositories.servedBy(store.readGit, store.fromBackup)
    const run = async (signal: AbortSignal) => {
      for (const id of await this.#sealed.behind()) {
        if (signal.aborted) return
        await store.keepUp(id)
        // An organization without writes has nothing to seal.
        this.#sealed.note(id, 0)
      }
    }
    const name = 'following the other nodes'
    this.#options.background.task({ name, every: BEHIND_MS, level: 'warn', run }).in(BEHIND_MS)
  }

  /** Runs the backup on one node at a time. @param isPushed see {@link SealedPositions.backedUp} */
  backUp(work: Pick<LockedWork, 'begin' | 'end'>, isPushed: Parameters<SealedPositions['backedUp']>[0]): void {
    const { background } = this.#options
    this.#holder = new LockHolder(this.#engine, background, { ...work, key: LOCKS.backup, name: 'holding the backup' })
    const run = () => this.#sealed.backedUp(isPushed)
    background.task({ name: 'noting what is backed up', every: BACKED_UP_MS, level: 'warn', run }).in(BACKED_UP_MS)
  }

  /** Runs the jobs of machine translation on one node at a time. */
  runJobs(work: Pick<LockedWork, 'begin' | 'end'>): void {
    const name = 'holding the jobs of machine translation'
    this.#jobsHolder = new LockHolder(this.#engine, this.#options.background, { ...work, key: LOCKS.jobs, name })
  }

  /** Joins, once this server is reached at its address. @throws Failure `unavailable` */
  listening(): Promise<void> {
    return this.#node.listening()
  }

  /** Whether a request can be answered at once: this node knows all that was acknowledged. */
  get isFresh(): boolean {
    return this.#node.lease.isValid
  }

  /** Whether what this node knows of rights still counts: READS_WITHOUT_ENGINE is not over. */
  get mayRead(): boolean {
    return this.isFresh || this.#node.lease.age <= this.#options.readsWithoutEngine
  }

  /** Whether the database did not answer last. */
  get isAway(): boolean {
    return this.#node.isFailing
  }

  get leaseLosses(): number {
    return this.#node.lease.leaseLosses
  }

  /**
   * For a request that comes while {@link isFresh} is false.
   * @returns for how many seconds the answer may be stale; 0: it is not
   * @throws Failure `unavailable` for a write, and for a read after READS_WITHOUT_ENGINE
   */
  async admit(isRead: boolean): Promise<number> {
    if (await this.#node.fresh()) return 0
    if (!isRead) throw new Failure('unavailable', NO_WRITES, { retryAfter: 2 })
    const { age } = this.#node.lease
    if (age > this.#options.readsWithoutEngine) throw new Failure('unavailable', AWAY, { retryAfter: 2 })
    return Math.max(1, Math.ceil(age / 1000))
  }

  async status(): Promise<ClusterStatus> {
    await this.#askNodes()
    const { age, isValid } = this.#node.lease
    return {
      engine: this.isAway ? 'away' : 'ok',
      leaseAge: Number.isFinite(age) ? Math.round(age) / 1000 : null,
      isFresh: isValid,
      lag: this.#sealed.lag(this.#node.positions.newest()),
      nodes: this.#nodes.map(node => ({ ...node, seen: node.seen + (performance.now() - this.#answered) / 1000 })),
    }
  }

  /** Leaves the others; nothing is answered here from now on. Never rejects. */
  async leave(): Promise<void> {
    this.#repositories.close()
    await this.#node.leave()
  }

  async close(): Promise<void> {
    await this.#holder?.close()
    await this.#jobsHolder?.close()
    await this.leave()
    await this.#sealed.write().catch(() => {})
    await this.#engine.close()
  }

  /** At most once a second, and not while the database is away. */
  async #askNodes(): Promise<void> {
    if (performance.now() - this.#asked < STATUS_MS || this.#node.isFailing) return
    this.#asked = performance.now()
    const text = `select url, id = $1 as own, extract(epoch from now() - seen)::float8 as seen from node order by url`
    const rows = await this.#engine
      .query<ClusterStatus['nodes'][number]>('lease', text, [this.#node.id])
      .catch(() => undefined)
    if (!rows) return
    this.#nodes = rows
    this.#answered = performance.now()
  }
}
