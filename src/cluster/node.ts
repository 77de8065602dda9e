/** This process as one of the nodes: it joins, renews its lease, hears of the others' writes and tells them of its own. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Background, Task } from '../background.ts'
import { Failure } from '../bundle/errors.ts'
import type { Position } from '../store/shared-log.ts'
import { Lease, SILENCE_MS } from './lease.ts'
import { type Outcome, type Peer, Peers } from './peers.ts'
import { type Connection, type Engine, isHeldUp, type Log } from './postgres.ts'
import { LOCKS } from './schema.ts'

/** The stream of the accounts. */
export const ACCOUNTS = 'accounts'

/** Called with how far a stream is; what it returns is waited for before the node says it has heard. */
export type Heard = (position: Position) => Promise<void> | void

/** What a node is made of. */
export interface NodeOptions {
  engine: Engine
  /** The same at each start: whose repositories these are. */
  member: string
  /** Where the other nodes find it. */
  url: string
  /** What the nodes know each other by. */
  secret: string
  background: Background
  log: Log
}

const RENEW_MS = 500
/** A node that wakes renews before it answers; longer it is not waited for. */
const FRESH_MS = 1500
const MEMBER_SEEN_MS = 60_000

const EVICT_TRIES = 3
/** For the row's lock. */
const EVICT_MS = 5000
const EVICT = `with held as materialized (select id from node where id = $1 for update),
    waited as materialized (select id, pg_sleep($2) from held)
  delete from node using waited where node.id = waited.id`

const DOUBTFUL = 'This was done, but not all nodes of the cluster could be told: they may not know of it yet.'
const NOT_OUT = 'not all nodes could be told, or taken out of the cluster'
const OUT = 'This node was out of the cluster for a moment: send it again.'

/** The other nodes, and this one's epoch in the same moment. */
interface List {
  peers: Peer[]
  epoch: string
}

/** Nodes that have not heard: their process is gone, or they say nothing. */
type Untold = { peer: Peer; outcome: Outcome }[]

/** What {@link Node.foretell} has come to. */
export interface Foretold {
  /** This node's, which the commit must find: it changes when another one joins. */
  epoch: string
  /** For {@link Node.without}, once the entry is there. */
  untold: Untold
}

/** See the top of the file. */
export class Node {
  readonly lease = new Lease()
  readonly peers: Peers
  readonly #options: NodeOptions
  readonly #engine: Engine
  readonly #newest = new Map<string, Position>()
  readonly #followers = new Map<string, Set<Heard>>()
  readonly #renewing: Task
  /** Another one each time it joins: what it began before it was taken out must not commit. */
  #id = newId()
  #isIn = false
  #isLeaving = false
  #failing = false
  #memberSeen = Number.NEGATIVE_INFINITY
  #list: Promise<List> | undefined
  #settle: () => Promise<void> = async () => {}

  constructor(options: NodeOptions) {
    this.#options = options
    this.#engine = options.engine
    this.peers = new Peers(options.secret)
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

  /** @param settle waits for all writes under way, which rest on rights that may be gone when this node was out */
  settleBy(settle: () => Promise<void>): void {
    this.#settle = settle
  }

  /**
   * Joins. Only now, when others can reach it: who is refused a connection takes it for dead and waits for nothing.
   * @throws Failure `unavailable`
   */
  async listening(): Promise<void> {
    await this.#renewing.now()
  }

  /** Gives the lease back, and is told nothing any more. Never rejects. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    this.lease.end()
    await this.#renewing.close()
    if (this.#isIn) await this.evict(this.#id).catch(() => {})
    this.#isIn = false
    this.peers.close()
  }

  /** Calls `heard` with the newest known, at once and whenever it grows. Follow first, then read. @returns what ends it */
  follow(stream: string, heard: Heard): () => void {
    const followers = this.#followers.get(stream) ?? new Set()
    this.#followers.set(stream, followers.add(heard))
    const newest = this.#newest.get(stream)
    if (newest) void heard(newest)
    return () => {
      followers.delete(heard)
      if (followers.size === 0 && this.#followers.get(stream) === followers) this.#followers.delete(stream)
    }
  }

  /** Notes how far a stream is; resolves when those who follow have done what they must before this node may say so. */
  async hear(stream: string, { heard, there }: Position): Promise<void> {
    const before = this.#newest.get(stream) ?? { heard: 0, there: 0 }
    const grows = heard > before.heard || there > before.there
    if (!grows && stream !== ACCOUNTS) return
    const position = { heard: Math.max(heard, before.heard), there: Math.max(there, before.there) }
    this.#newest.set(stream, position)
    await Promise.all([...(this.#followers.get(stream) ?? [])].map(follower => follower(position)))
  }

  /** As {@link hear}, for what another node told. */
  async told(news: ReadonlyMap<string, Position>): Promise<void> {
    await Promise.all([...news].map(([stream, position]) => this.hear(stream, position)))
  }

  /**
   * Tells all nodes that an entry may come. Who has heard looks into the log before it answers, so it does no harm when
   * the entry never comes.
   * @throws Failure `unavailable`
   */
  async foretell(stream: string, seq: number): Promise<Foretold> {
    const position = { heard: seq, there: seq - 1 }
    const { peers, epoch } = await this.#nodes()
    const untold = await this.#tell(peers, stream, position)
    // Last: readers here need to look only while it is being committed.
    void this.hear(stream, position)
    return { epoch, untold }
  }

  /** Takes out who could not be told of an entry that is there now. Resolves when none of them answers without it. */
  async without(untold: Untold): Promise<void> {
    if (untold.length === 0) return
    this.nodesChanged()
    const until = performance.now() + SILENCE_MS
    try {
      await this.#evictAll(untold)
    } catch (error) {
      // Whoever has a lease then renewed it since, and has read how far the stream is.
      await pause(Math.max(0, until - performance.now()))
      this.#options.log.warn({ err: error }, NOT_OUT)
    }
  }

  /** Forgets the list of nodes: a commit has found another epoch. */
  nodesChanged(): void {
    this.#list = undefined
  }

  /** Lets all know, soon, that an entry is there. */
  spread(stream: string, seq: number): void {
    const position = { heard: seq, there: seq }
    void this.hear(stream, position)
    const note = ({ peers }: List) => {
      for (const peer of peers) this.peers.note(peer, stream, position)
    }
    this.#list?.then(note, () => {})
  }

  /**
   * Tells all nodes of a change of accounts that was committed just now, and waits until each knows it or is out.
   * @throws Failure `unavailable`, `doubtful` in its data: a node may not know it, which may write
   */
  async everywhere(stream: string, seq: number): Promise<void> {
    const until = performance.now() + SILENCE_MS
    const position = { heard: seq, there: seq }
    const heard = this.hear(stream, position)
    try {
      await this.#evictAll(await this.#tell(await this.others(), stream, position))
    } catch (error) {
      // Who has a lease has heard, or has it no more by then; only what a node has begun may still be committed.
      await pause(Math.max(0, until - performance.now()))
      this.#options.log.warn({ err: error }, NOT_OUT)
      throw new Failure('unavailable', DOUBTFUL, { doubtful: true })
    }
    await heard
  }

  async #tell(peers: Peer[], stream: string, position: Position): Promise<Untold> {
    const until = performance.now() + SILENCE_MS
    const telling = peers.map(async peer => {
      const outcome = await this.peers.tell(peer, stream, position, until)
      return outcome === 'heard' ? [] : [{ peer, outcome }]
    })
    return (await Promise.all(telling)).flat()
  }

  async #evictAll(untold: Untold): Promise<void> {
    const evicting = untold.map(({ peer, outcome }) => {
      this.#options.log.warn({ node: peer.url, outcome }, 'a node does not answer and is taken out of the cluster')
      // A silent one may still renew its lease, and answer: whoever no longer finds it in the list tells it nothing.
      return this.evict(peer.id, outcome === 'silent' ? SILENCE_MS : 0)
    })
    await Promise.all(evicting)
  }

  /**
   * Takes a node out: what it has begun cannot be committed any more. Waits for what it is committing, and then for so
   * many milliseconds in which it can neither renew its lease nor is gone from the list. @throws Failure
   */
  async evict(id: string, milliseconds = 0): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const values = [id, milliseconds / 1000]
        await this.#engine.run('log', connection => connection.query(EVICT, values), EVICT_MS + milliseconds)
        return
      } catch (error) {
        if (!isHeldUp(error) || tries === EVICT_TRIES) throw error
      }
    }
  }

  /** The other nodes, as the database has them now. @throws Failure */
  others(): Promise<Peer[]> {
    return this.#engine.query<Peer>('log', 'select id, url from node where id <> $1', [this.#id])
  }

  /** As of a moment ago. @throws Failure */
  #nodes(): Promise<List> {
    if (this.#list) return this.#list
    const list = this.#ask()
    this.#list = list
    list.catch(() => {
      if (this.#list === list) this.#list = undefined
    })
    return list
  }

  async #ask(): Promise<List> {
    const id = this.requireIn()
    const nodes = await this.#engine.query<Peer & { epoch: string }>('log', 'select id, url, epoch from node')
    const own = nodes.find(node => node.id === id)
    if (own === undefined) throw this.wasOut(id)
    const peers = nodes.filter(node => node !== own)
    this.peers.keep(peers)
    return { peers, epoch: own.epoch }
  }

  /** The newest entry of each stream that is followed, as far as known. */
  newest(): Map<string, number> {
    const followed = [...this.#newest].filter(([stream]) => this.#followers.has(stream))
    return new Map(followed.map(([stream, { there }]) => [stream, there]))
  }

  /** @throws Failure `unavailable` while this node is out: nothing was written */
  requireIn(): string {
    if (!this.#isIn) throw new Failure('unavailable', OUT, { retryAfter: 1 })
    return this.#id
  }

  /** Notes that this node's row was gone at a commit. @returns the failure to tell */
  wasOut(id: string): Failure {
    if (id === this.#id) this.#isIn = false
    this.#renewing.in(0)
    return new Failure('unavailable', OUT, { retryAfter: 1 })
  }

  /** In the transaction of a commit that a node that was taken out must not make. @throws Failure `unavailable` */
  async hold(connection: Pick<Connection, 'query'>): Promise<void> {
    const id = this.requireIn()
    const { rows } = await connection.query('select 1 from node where id = $1 for key share', [id])
    if (rows.length === 0) throw this.wasOut(id)
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
      if (!this.#isIn) await this.#join()
      const asked = this.lease.now()
      const id = this.#id
      // A commit, and only then what there is: whoever commits later sees this node and waits for it.
      const seen = await this.#engine.query('lease', 'update node set seen = now() where id = $1 returning 1', [id])
      if (seen.length === 0) {
        this.#options.log.warn({}, 'this node was taken out of the cluster and joins again')
        this.#isIn = false
        await this.#join()
        return
      }
      await this.#catchUp()
      if (!this.#isLeaving) this.lease.extend(asked)
      // One that is out already is not to be waited for.
      if (this.#list) {
        this.nodesChanged()
        await this.#nodes()
      }
      await this.#sayMember()
      this.#failing = false
    } catch (error) {
      this.#failing = true
      throw error
    }
  }

  /** Rights may have changed while this node was out: the writes under way fail, and none begins on what it knew. */
  async #join(): Promise<void> {
    const { member, url } = this.#options
    // Who is told that another node is at this address waits for this one's lease no more.
    this.lease.end()
    this.#id = newId()
    this.nodesChanged()
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
      // Whoever has told all the others of an entry has not told this one.
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
    this.#isIn = true
    this.lease.extend(asked)
    this.#failing = false
  }

  async #catchUp(): Promise<void> {
    const streams = [...this.#followers.keys()]
    if (streams.length === 0) return
    const text = 'select id, seq from stream where id = any($1)'
    const rows = await this.#engine.query<{ id: string; seq: string }>('lease', text, [streams])
    await Promise.all(rows.map(({ id, seq }) => this.hear(id, { heard: Number(seq), there: Number(seq) })))
  }

  async #sayMember(): Promise<void> {
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
