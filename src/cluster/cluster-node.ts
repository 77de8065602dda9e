/** This process as one of the nodes: it joins, renews its lease, and leaves. */
import { randomBytes } from 'node:crypto'
import { Failure } from '../bundle/errors.ts'
import type { Background, BackgroundTask, Log } from '../scheduling/background.ts'
import { Announcer } from './announcer.ts'
import type { ClusterDatabase } from './cluster-database.ts'
import { upTo } from './cluster-log.ts'
import { Lease } from './lease.ts'
import { Peers } from './peers.ts'
import { LOCKS } from './schema.ts'
import { type StreamNews, StreamPositions } from './stream-positions.ts'

/** See {@link ClusterNode}. */
export interface ClusterNodeOptions {
  engine: ClusterDatabase
  /** The owner of the repositories: the same at each start. */
  member: string
  /** Where the other nodes find it. */
  url: string
  /** Shared by the nodes: their credential. */
  secret: string
  /** Milliseconds for which reads go on without the database. */
  readsWithoutEngine: number
  background: Background
  log: Log
}

const RENEW_MS = 500
/** A node that wakes renews before it answers; longer it is not waited for. */
const FRESH_MS = 1500
const MEMBER_SEEN_MS = 60_000

const OUT = 'This node was out of the cluster for a moment: send it again.'

/** See the top of the file. */
export class ClusterNode {
  readonly lease = new Lease()
  readonly positions = new StreamPositions()
  readonly announcer: Announcer
  readonly peers: Peers
  readonly #options: ClusterNodeOptions
  readonly #engine: ClusterDatabase
  readonly #renewing: BackgroundTask
  /** A new one at each join: what was begun before a removal must not commit. */
  #id = newId()
  #isMember = false
  #isLeaving = false
  #failing = false
  #memberSeen = Number.NEGATIVE_INFINITY
  #settle: () => Promise<void> = async () => {}

  constructor(options: ClusterNodeOptions) {
    this.#options = options
    this.#engine = options.engine
    this.peers = new Peers(options.secret)
    const { positions, peers } = this
    this.announcer = new Announcer({ engine: options.engine, peers, positions, own: this, log: options.log })
    this.#renewing = options.background.task({
      name: "renewing this node's lease",
      every: RENEW_MS,
      retry: [RENEW_MS, RENEW_MS],
      level: 'warn',
      run: () => this.#renew(),
    })
  }

  get id(): string {
    return this.#id
  }

  /** Whether the last renewal failed: a reader need not wait for the next. */
  get isFailing(): boolean {
    return this.#failing
  }

  /** Whether reads are answered, marked as stale, by what this node last knew. */
  get readsStale(): boolean {
    return this.#failing && !this.lease.isValid && this.lease.age <= this.#options.readsWithoutEngine
  }

  /** The log could not be read: reads are stale from now on, until the lease is renewed. */
  lostTouch(): void {
    this.lease.doubt()
    this.#failing = true
    this.#renewing.in(0)
  }

  /** @param settle waits for all writes under way, which rest on rights that may be gone when this node was out */
  settleWith(settle: () => Promise<void>): void {
    this.#settle = settle
  }

  /**
   * Joins. Only now, when others can reach it: they consider a node that refuses a connection dead.
   * @throws Failure `unavailable`
   */
  async listening(): Promise<void> {
    await this.#renewing.now()
  }

  /** Gives the lease back, and leaves the cluster. Never rejects. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    this.lease.end()
    await this.#renewing.close()
    if (this.#isMember) await this.announcer.evict(this.#id).catch(() => {})
    this.#isMember = false
    this.peers.close()
  }

  /** Applies announcements of another node; resolves when they are known here. */
  async receive(all: ReadonlyMap<string, StreamNews>): Promise<void> {
    await Promise.all([...all].map(([stream, news]) => this.positions.update(stream, news)))
  }

  /** @throws Failure `unavailable` while this node is out: nothing was written */
  requireMembership(): string {
    if (!this.#isMember) throw new Failure('unavailable', OUT, { retryAfter: 1 })
    return this.#id
  }

  /** Notes that this node's row was gone at a commit. @returns the failure for the caller */
  noteRemoval(id: string): Failure {
    if (id === this.#id) this.#isMember = false
    this.#renewing.in(0)
    return new Failure('unavailable', OUT, { retryAfter: 1 })
  }

  /** Whether the lease is valid, renewed first if it can be. */
  async fresh(): Promise<boolean> {
    if (this.lease.isValid) return true
    if (this.#failing || this.#isLeaving) return false
    const renewed = this.#renewing.join().catch(() => {})
    const late = new Promise(resolve => AbortSignal.timeout(FRESH_MS).addEventListener('abort', resolve))
    await Promise.race([renewed, late])
    // One that hangs fails in the end; until then others need not wait for it, and what is read is old.
    if (!this.lease.isValid) this.#failing = true
    return this.lease.isValid
  }

  async #renew(): Promise<void> {
    try {
      if (!this.#isMember) await this.#join()
      const asked = this.lease.now()
      const id = this.#id
      // First a commit, then the positions: a later writer sees this node and waits for it.
      const seen = await this.#engine.query('lease', 'update node set seen = now() where id = $1 returning 1', [id])
      if (seen.length === 0) {
        this.#options.log.warn({}, 'this node was removed from the cluster and joins again')
        this.#isMember = false
        await this.#join()
        return
      }
      await this.#catchUp()
      if (!this.#isLeaving) this.lease.extend(asked)
      // One that is out already is not to be waited for.
      await this.announcer.refresh()
      await this.#recordMember()
      this.#failing = false
    } catch (error) {
      this.#failing = true
      throw error
    }
  }

  /** Rights may have changed while this node was out: the writes under way fail, and none begins on what it knew. */
  async #join(): Promise<void> {
    const { member, url } = this.#options
    // A node that finds another one at this address does not wait for this one's lease.
    this.lease.end()
    this.#id = newId()
    this.announcer.forgetNodes()
    // Later writers must announce to this one again.
    this.positions.closeWindows(this.positions.senders)
    const asked = this.lease.now()
    await this.#engine.transaction('lease', async connection => {
      await connection.query('select pg_advisory_xact_lock($1)', [LOCKS.joining])
      // Its own of before: nothing else can be at this address.
      await connection.query('delete from node where url = $1', [url])
      const copies = await connection.query<{ url: string }>(
        `select url from node where member = $1 and seen > now() - interval '3 seconds'`,
        [member],
      )
      if (copies.rows[0]) throw copied(copies.rows[0].url)
      await connection.query('delete from node where member = $1', [member])
      // A writer with an announced entry has not announced it to this node.
      await connection.query('update node set epoch = epoch + 1')
      await connection.query('insert into node (id, member, url, epoch) values ($1, $2, $3, 0)', [
        this.#id,
        member,
        url,
      ])
    })
    await this.#catchUp()
    await this.#settle()
    if (this.#isLeaving) return
    this.#isMember = true
    this.lease.extend(asked)
    this.#failing = false
  }

  async #catchUp(): Promise<void> {
    const streams = this.positions.followed
    // First: what one that is out has written is then found below.
    const { senders } = this.positions
    const present = await this.#rows<{ id: string }>('select id from node where id = any($1)', senders)
    const rows = await this.#rows<{ id: string; seq: string }>('select id, seq from stream where id = any($1)', streams)
    await Promise.all(rows.map(({ id, seq }) => this.positions.update(id, upTo(Number(seq)))))
    this.positions.closeWindows(senders.filter(sender => !present.some(({ id }) => id === sender)))
  }

  async #rows<T extends object>(text: string, ids: string[]): Promise<T[]> {
    return ids.length > 0 ? this.#engine.query<T>('lease', text, [ids]) : []
  }

  async #recordMember(): Promise<void> {
    if (performance.now() - this.#memberSeen < MEMBER_SEEN_MS) return
    const { member, url } = this.#options
    await this.#engine.query(
      'lease',
      `insert into cluster_member (id, url) values ($1, $2)
       on conflict (id) do update set url = excluded.url, seen = now()`,
      [member, url],
    )
    this.#memberSeen = performance.now()
  }
}

const copied = (url: string) =>
  new Failure(
    'unavailable',
    `The node at ${url} has the same id as this one: if this data folder is a copy of that one's, remove the file \`node\` from it.`,
  )

const newId = () => randomBytes(9).toString('base64url')
