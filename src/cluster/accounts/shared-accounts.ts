/** The accounts in a PostgreSQL that several nodes share, and the copy in memory that this node's requests ask. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FILE, noTurn, openDatabase } from '../../auth/database.ts'
import { type RunSql, runSqlOn } from '../../auth/dialect.ts'
import type { ActOptions, Engine, ForeignChanges } from '../../auth/engine.ts'
import { type EngineOptions, SILENT } from '../../auth/options.ts'
import { type AccountsSnapshot, KEPT, snapshotAccounts } from '../../auth/snapshot.ts'
import { exclusiveActs, inTransactionScope } from '../../auth/transaction-scope.ts'
import { Failure } from '../../bundle/errors.ts'
import { Background, type BackgroundTask } from '../../scheduling/background.ts'
import { AccountsReplica, type ChangedRows, REPLICATED } from './accounts-replica.ts'
import { type LoadedAccounts, loadAccounts, readChanges, sharedSecret, snapshotOf } from './load-accounts.ts'
import type { SharedAccountsOptions } from './options.ts'
import { quietDialect, sharedDialect } from './postgres-dialect.ts'
import { LOCKS, migrateShared, PARLANCE, STREAM } from './postgres-tables.ts'
import { copyToSqlite, newAccounts } from './transfer.ts'

/** Times of last use are written together. */
const TOUCH_MS = 5_000
/** A day of many changes. A node further behind reads all accounts again. */
const CHANGES_KEPT = 10_000
const HOUR = 3_600_000

export class SharedAccounts implements Engine {
  readonly secret: string
  readonly #replica: AccountsReplica
  readonly #options: SharedAccountsOptions
  readonly #given: EngineOptions
  readonly #run: RunSql
  readonly #background: Background
  readonly #reading: BackgroundTask
  readonly #announcing: BackgroundTask
  readonly #touching: BackgroundTask
  readonly #single = exclusiveActs()
  /** Own writes under way. Each rests on a right that the replica showed. */
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #touched = new Map<string, number>()
  readonly #unfollow: () => void
  #foreign: ForeignChanges = { tokens: () => {}, gone: () => {} }
  /** The number of the last change in the replica. */
  #applied: number
  /** What this process has committed, and what of it every node has heard of. */
  #written = 0
  #announced = 0
  #announcedSeq = 0
  #changes = 0
  /** Resolves when what rested on rights that are gone by the copy is through. */
  #quiet: Promise<unknown> = Promise.resolve()

  private constructor(options: SharedAccountsOptions, given: EngineOptions, loaded: LoadedAccounts, secret: string) {
    this.#options = options
    this.#given = given
    this.#replica = new AccountsReplica(table => loaded.columns.get(table)!)
    this.#replica.apply(loaded.rows)
    this.#applied = loaded.seq
    this.#announcedSeq = loaded.seq
    this.secret = secret
    this.#run = runSqlOn(this.#newDialect())
    this.#background = (given.background ?? new Background({ info: () => {}, ...(given.log ?? SILENT) })).group()
    this.#reading = this.#background.task({ name: 'reading changed accounts', retry: false, run: () => this.#read() })
    this.#announcing = this.#background.task({ name: 'telling of accounts', retry: false, run: () => this.#announce() })
    // A stopping node may be removed before it notes the last uses. That does no harm.
    this.#touching = this.#background.task({
      name: 'noting the use of tokens',
      level: 'warn',
      run: () => this.#writeTouched(),
    })
    const trimming = this.#background.task({ name: 'forgetting old changes', every: HOUR, run: () => this.#trim() })
    trimming.in(HOUR)
    this.#unfollow = options.follow(seq => this.#heard(seq))
  }

  /** Creates missing tables, and reads all that requests ask. @throws Failure `unavailable` */
  static async open(options: SharedAccountsOptions, given: EngineOptions): Promise<SharedAccounts> {
    if (given.dataDir !== undefined) refuseLeftBehind(given.dataDir)
    await migrateShared(options)
    const loaded = await snapshotOf(options, client => loadAccounts(options, client))
    const secret = given.secret ?? (await sharedSecret(runSqlOn(quietDialect(options)), 'secret'))
    return new SharedAccounts(options, given, loaded, secret)
  }

  get reads() {
    return this.#replica.database
  }

  async betterAuth() {
    return { dialect: this.#newDialect(), type: 'postgres', transaction: true } as const
  }

  query<T>(read: (run: RunSql) => Promise<T>): Promise<T> {
    return read(this.#run)
  }

  async change<T>(write: (run: RunSql) => Promise<T>): Promise<T> {
    const written = (async () => write(this.#run))()
    this.#underWay.add(written)
    try {
      return await written
    } finally {
      this.#underWay.delete(written)
    }
  }

  async untilReplicated(what?: 'by any node'): Promise<void> {
    if (what || this.#announced < this.#written) await this.#announcing.now()
  }

  act<T>(run: () => Promise<T>, { exclusive, isDone }: ActOptions<T> = {}): Promise<T> {
    if (exclusive === undefined) return inTransactionScope(run, isDone)
    const act = async () => {
      // In the act's own transaction: a holder that was stopped cannot commit when it goes on.
      await this.#run`select pg_advisory_xact_lock(${PARLANCE}, ${LOCKS[exclusive]})`
      await this.#reading.now()
      return run()
    }
    return this.#single[exclusive].inTurn(undefined, noTurn, () => inTransactionScope(act, isDone))
  }

  touch(token: string, time: number): boolean {
    // Asked for again, it would be put off again.
    if (this.#touched.size === 0) this.#touching.in(TOUCH_MS)
    this.#touched.set(token, time)
    return true
  }

  /** Other processes' changes are announced at once. */
  version(): number {
    return 0
  }

  onForeign(foreign: ForeignChanges): void {
    this.#foreign = foreign
  }

  changes(): number {
    return this.#changes
  }

  snapshot(file: string, known?: string): Promise<AccountsSnapshot> {
    const { types } = this.#options
    const fill = async () => {
      const target = await newAccounts(file)
      await snapshotOf(this.#options, client => copyToSqlite(client, types, target)).finally(() => target.close())
    }
    return snapshotAccounts(fill, file, known)
  }

  async close(): Promise<void> {
    this.#unfollow()
    await this.#touching.now().catch(() => {})
    await this.#background.close()
    this.#replica.database.close()
  }

  #newDialect() {
    const { node, pool, types } = this.#options
    const wrote = () => void this.#written++
    return sharedDialect(pool, { node: () => node?.(), types, wrote })
  }

  /** Resolves when the replica has the change and no write goes on with a revoked right. */
  async #heard(seq: number): Promise<void> {
    if (this.#applied < seq) await this.#reading.now()
    await this.#quiet
  }

  async #announce(): Promise<void> {
    const wrote = this.#written
    await this.#reading.now()
    const seq = this.#applied
    if (seq > this.#announcedSeq) await this.#options.untilReplicated(seq)
    this.#announcedSeq = Math.max(this.#announcedSeq, seq)
    this.#announced = wrote
  }

  async #read(): Promise<void> {
    const since = this.#applied
    const read = await snapshotOf(this.#options, async client => {
      const changes = await readChanges(this.#options, client, since)
      return changes === 'too many' ? { ...(await loadAccounts(this.#options, client)), isWhole: true } : changes
    })
    if (read) this.#apply(read.rows, read.seq, 'isWhole' in read)
  }

  /** Puts what was read into the copy, in one turn, and sees to what follows. */
  #apply(changed: ChangedRows, seq: number, isWhole: boolean): void {
    const organizations = this.#concerned(changed, isWhole)
    const gone = this.#gone(changed, isWhole)
    this.#replica.apply(changed, isWhole)
    this.#applied = seq
    if (isWhole || KEPT.some(table => changed.has(table))) this.#changes++
    if (isWhole || changed.has('api_token') || changed.has('organization')) this.#foreign.tokens()
    const settled = organizations.map(async id => this.#given.settle?.(id))
    const written = [...this.#underWay].map(write => write.catch(() => {}))
    this.#quiet = Promise.all([this.#quiet, ...written, ...settled].map(one => one.catch(() => {})))
    for (const id of gone) {
      this.#background.once('putting a deleted organization away', () => this.#foreign.gone(id))
    }
  }

  /** The organizations where a user may have lost a right. */
  #concerned(changed: ChangedRows, isWhole: boolean): string[] {
    if (isWhole) return this.#all('select id from organization')
    const found = new Set<string>()
    const ofUser = (user: unknown) => {
      for (const id of this.#all('select "organizationId" as id from member where "userId" = ?', user)) found.add(id)
    }
    for (const [table, rows] of changed) {
      if (!REPLICATED.includes(table)) continue
      for (const id of rows.keys()) {
        const before = this.#replica.row(table, id)
        if (before === undefined) continue
        if (table === 'member' || table === 'api_token') found.add(String(before.organizationId))
        else if (table === 'organization') found.add(id)
        else if (table === 'session' && rows.get(id) === undefined) ofUser(before.userId)
      }
    }
    return [...found]
  }

  #gone(changed: ChangedRows, isWhole: boolean): string[] {
    const now = changed.get('organization')
    return this.#all('select id from organization').filter(id =>
      isWhole ? now?.get(id) === undefined : now?.has(id) && now.get(id) === undefined,
    )
  }

  #all(statement: string, ...values: unknown[]): string[] {
    return (this.#replica.database.prepare(statement).all(...values) as { id: string }[]).map(({ id }) => id)
  }

  async #writeTouched(): Promise<number | undefined> {
    const touched = [...this.#touched]
    if (touched.length === 0) return undefined
    const ids = JSON.stringify(touched.map(([id, time]) => ({ id, time })))
    await this.#run`update api_token set "lastUsedAt" = used.time
      from json_to_recordset(cast(${ids} as json)) as used (id text, time bigint)
      where api_token.id = used.id and coalesce("lastUsedAt", 0) < used.time`
    for (const [id, time] of touched) if (this.#touched.get(id) === time) this.#touched.delete(id)
    return this.#touched.size > 0 ? TOUCH_MS : undefined
  }

  async #trim(): Promise<void> {
    await this.#run`delete from accounts_change
      where seq <= (select seq from stream where id = ${STREAM}) - cast(${CHANGES_KEPT} as bigint)`
  }
}

/** Refuses to start a node on a data folder that still has accounts. @throws Failure `unavailable` */
function refuseLeftBehind(dataDir: string): void {
  if (!existsSync(join(dataDir, FILE))) return
  const database = openDatabase(dataDir)
  try {
    const hasTable = database.prepare("select 1 from sqlite_schema where name = 'user'").get() !== undefined
    if (!hasTable || database.prepare('select 1 from user').get() === undefined) return
  } finally {
    database.close()
  }
  const words = `${dataDir} has accounts of its own: move them with \`parlance server accounts move --to cluster\`, or start on another DATA_DIR.`
  throw new Failure('unavailable', words)
}
