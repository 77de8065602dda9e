/** Announces writes to the other nodes, and removes unreachable nodes from the cluster. */
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../bundle/errors.ts'
import type { Log } from '../scheduling/background.ts'
import type { ClusterDatabase } from './cluster-database.ts'
import { furthest, type StreamPosition, upTo } from './cluster-log.ts'
import { SILENCE_MS } from './lease.ts'
import type { Peer, PeerAnswer, Peers } from './peers.ts'
import { isHeldUp } from './postgres-errors.ts'
import type { StreamNews, StreamPositions, WriteWindow } from './stream-positions.ts'

/** See {@link Announcer}. */
export interface AnnouncerOptions {
  engine: ClusterDatabase
  peers: Peers
  positions: StreamPositions
  /** This node. */
  own: {
    readonly id: string
    /** @throws Failure `unavailable` while it is out */
    requireMembership(): string
    /** Notes that its row is gone. @returns the failure for the caller */
    noteRemoval(id: string): Failure
  }
  log: Log
}

/** The other nodes, and this one with its epoch in the same moment. */
interface NodeList {
  own: string
  peers: Peer[]
  epoch: string
}

/** Nodes that did not confirm: their process is gone, or they do not answer. */
type UnreachedPeers = { peer: Peer; outcome: PeerAnswer }[]

/** The result of {@link Announcer.announce}. */
export interface Announcement {
  stream: string
  seq: number
  /** Those in it, with this node's epoch, which the commit must find: it changes when another one joins. */
  to: NodeList
  unreached: UnreachedPeers
}

/** Entries that this node writes to a stream one after the other. */
interface WriteStreak {
  to: NodeList
  position: StreamPosition
  /** Whether {@link to} expect any entry, without further announcements. */
  isOpen: boolean
  /** Whether all of them have confirmed; undefined until then. */
  isHeard: boolean | undefined
  /** Whether there is an entry since the last announcement. */
  isNews: boolean
}

/** Interval of notes about committed entries. A pause of this length ends a streak. */
const SOON_MS = 20

const EVICT_TRIES = 3
/** For the row's lock. */
const EVICT_MS = 5000
const EVICT = `with held as materialized (select id from node where id = $1 for update),
    waited as materialized (select id, pg_sleep($2) from held)
  delete from node using waited where node.id = waited.id`

const DOUBTFUL = 'This was done, but not all nodes of the cluster could be notified: they may not know of it yet.'
const NOT_OUT = 'not all nodes could be notified, or removed from the cluster'

/** See the top of the file. */
export class Announcer {
  readonly #options: AnnouncerOptions
  #list: Promise<NodeList> | undefined
  readonly #streaks = new Map<string, WriteStreak>()
  /** How often this node has said what may come. */
  #count = 0

  constructor(options: AnnouncerOptions) {
    this.#options = options
  }

  /** As the database has them now. @throws Failure */
  peers(): Promise<Peer[]> {
    const { engine, own } = this.#options
    return engine.query<Peer>('log', 'select id, url from node where id <> $1', [own.id])
  }

  /** Forgets the list of nodes: a commit has found another epoch. */
  forgetNodes(): void {
    this.#list = undefined
  }

  /** Reads the list of nodes again, if it was known. @throws Failure */
  async refresh(): Promise<void> {
    if (this.#list === undefined) return
    this.forgetNodes()
    await this.#nodes()
  }

  /**
   * Announces an entry to all nodes before it is appended. A node that heard of it reads the log before it answers, so
   * an entry that never comes does no harm. From the second entry of a streak on, one announcement covers all that
   * follow. A node that misses the end of the streak goes on reading the log.
   * @throws Failure `unavailable`
   */
  async announce(stream: string, seq: number): Promise<Announcement> {
    const position = { announced: seq, committed: seq - 1 }
    const to = await this.#nodes()
    const before = this.#streaks.get(stream)
    const isNext = before?.position.announced === seq - 1
    let unreached: UnreachedPeers = []
    if (isNext && before.isOpen && before.isHeard && before.to === to) this.#goOn(stream, before, position)
    else {
      const streak: WriteStreak = { to, position, isOpen: isNext, isHeard: undefined, isNews: false }
      this.#goOn(stream, streak, position)
      unreached = await this.#announceTo(to.peers, stream, { ...position, window: this.#window(streak) })
      streak.isHeard = unreached.length === 0
    }
    // Last: readers here need to look only while it is being committed.
    void this.#options.positions.update(stream, position)
    return { stream, seq, to, unreached }
  }

  /**
   * Notifies all nodes, soon, that an entry is committed, and removes the unreached nodes. Resolves when none of these
   * answers without the entry.
   */
  async confirm({ stream, seq, to, unreached }: Announcement): Promise<void> {
    const position = upTo(seq)
    void this.#options.positions.update(stream, position)
    const streak = this.#streaks.get(stream) ?? { to, position, isOpen: false, isHeard: false, isNews: true }
    this.#goOn(stream, streak, position)
    if (unreached.length === 0) return
    this.forgetNodes()
    await this.#orWaitForLeases(() => this.#evictAll(unreached))
  }

  /**
   * Announces a committed change of accounts to all nodes, and waits until each has read it or is removed.
   * @throws Failure `unavailable`, `doubtful` in its data: a node may not know it, which may write
   */
  async untilReplicated(stream: string, seq: number): Promise<void> {
    const heard = this.#options.positions.update(stream, upTo(seq))
    const isOut = await this.#orWaitForLeases(async () =>
      this.#evictAll(await this.#announceTo(await this.peers(), stream, upTo(seq))),
    )
    // A node with a lease has heard, or has lost it by now. Only a write that was begun may still be committed.
    if (!isOut) throw new Failure('unavailable', DOUBTFUL, { doubtful: true })
    await heard
  }

  /**
   * Removes a node: what it has begun cannot be committed any more. Waits for its running commit, and then for
   * `milliseconds`. During these it cannot renew its lease and is still in the list. @throws Failure
   */
  async evict(id: string, milliseconds = 0): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const values = [id, milliseconds / 1000]
        await this.#options.engine.run('log', connection => connection.query(EVICT, values), EVICT_MS + milliseconds)
        return
      } catch (error) {
        if (!isHeldUp(error) || tries === EVICT_TRIES) throw error
      }
    }
  }

  #goOn(stream: string, streak: WriteStreak, position: StreamPosition): void {
    streak.position = furthest(streak.position, position)
    streak.isNews = true
    const isFirst = this.#streaks.size === 0
    this.#streaks.set(stream, streak)
    if (isFirst) void this.#tend()
  }

  /** Notifies the others of committed entries and of the end of each streak, while there are streaks. */
  async #tend(): Promise<void> {
    while (this.#streaks.size > 0) {
      await pause(SOON_MS, undefined, { ref: false })
      for (const [stream, streak] of this.#streaks) {
        const { to, position, isNews, isOpen, isHeard } = streak
        // A note might overtake the announcement under way.
        if (isHeard === undefined) continue
        streak.isNews = false
        if (!isNews) this.#streaks.delete(stream)
        if (!isNews && !isOpen) continue
        const news = isNews ? position : { ...position, window: this.#window({ to, isOpen: false }) }
        for (const peer of to.peers) this.#options.peers.announceLater(peer, stream, news)
      }
    }
  }

  #window({ to, isOpen }: Pick<WriteStreak, 'to' | 'isOpen'>): WriteWindow {
    return { sender: to.own, count: ++this.#count, isOpen }
  }

  /** As of a moment ago. @throws Failure */
  #nodes(): Promise<NodeList> {
    if (this.#list) return this.#list
    const list = this.#ask()
    this.#list = list
    list.catch(() => {
      if (this.#list === list) this.#list = undefined
    })
    return list
  }

  async #ask(): Promise<NodeList> {
    const { engine, own, peers } = this.#options
    const id = own.requireMembership()
    const nodes = await engine.query<Peer & { epoch: string }>('log', 'select id, url, epoch from node')
    const row = nodes.find(node => node.id === id)
    if (row === undefined) throw own.noteRemoval(id)
    const others = nodes.filter(node => node !== row)
    peers.retain(others)
    return { own: id, peers: others, epoch: row.epoch }
  }

  async #announceTo(peers: Peer[], stream: string, news: StreamNews): Promise<UnreachedPeers> {
    const until = performance.now() + SILENCE_MS
    const announcing = peers.map(async peer => {
      const outcome = await this.#options.peers.announce(peer, stream, news, until)
      return outcome === 'heard' ? [] : [{ peer, outcome }]
    })
    return (await Promise.all(announcing)).flat()
  }

  async #evictAll(unreached: UnreachedPeers): Promise<void> {
    const evicting = unreached.map(({ peer, outcome }) => {
      this.#options.log.warn({ node: peer.url, outcome }, 'a node does not answer and is removed from the cluster')
      // A silent node may still renew its lease and answer, while nodes without it in their list announce nothing to
      // it.
      return this.evict(peer.id, outcome === 'silent' ? SILENCE_MS : 0)
    })
    await Promise.all(evicting)
  }

  /**
   * When `act` fails, waits until all leases are over. A node with a lease has then renewed it and read the positions.
   * @returns whether it did not fail
   */
  async #orWaitForLeases(act: () => Promise<void>): Promise<boolean> {
    const until = performance.now() + SILENCE_MS
    try {
      await act()
      return true
    } catch (error) {
      await pause(Math.max(0, until - performance.now()))
      this.#options.log.warn({ err: error }, NOT_OUT)
      return false
    }
  }
}
