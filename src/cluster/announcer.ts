/** The other nodes: which they are, telling them what this one writes, and taking out who cannot be told. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../background.ts'
import { Failure } from '../bundle/errors.ts'
import { type ClusterDatabase, isHeldUp } from './cluster-database.ts'
import { furthest, type StreamPosition, upTo } from './cluster-log.ts'
import { SILENCE_MS } from './lease.ts'
import type { Peer, PeerAnswer, Peers } from './peers.ts'
import type { StreamNews, StreamPositions, WriteWindow } from './stream-positions.ts'

/** What they are told from. */
export interface AnnouncerOptions {
  engine: ClusterDatabase
  peers: Peers
  positions: StreamPositions
  /** This node. */
  own: {
    readonly id: string
    /** @throws Failure `unavailable` while it is out */
    requireMembership(): string
    /** Notes that its row is gone. @returns the failure to tell */
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

/** Nodes that have not heard: their process is gone, or they say nothing. */
type UnreachedPeers = { peer: Peer; outcome: PeerAnswer }[]

/** What {@link Announcer.announce} has come to. */
export interface Announcement {
  stream: string
  seq: number
  /** Those in it, with this node's epoch, which the commit must find: it changes when another one joins. */
  to: NodeList
  untold: UnreachedPeers
}

/** Entries that this node writes to a stream one after the other. */
interface WriteStreak {
  to: NodeList
  position: StreamPosition
  /** Whether {@link to} are told that any entry may come. */
  isOpen: boolean
  /** Whether all of them have heard; undefined while they are being told. */
  isHeard: boolean | undefined
  /** Whether anything came since the others were told last. */
  isNews: boolean
}

/** So soon the others hear what is there; who has written nothing for that long writes none after the other. */
const SOON_MS = 20

const EVICT_TRIES = 3
/** For the row's lock. */
const EVICT_MS = 5000
const EVICT = `with held as materialized (select id from node where id = $1 for update),
    waited as materialized (select id, pg_sleep($2) from held)
  delete from node using waited where node.id = waited.id`

const DOUBTFUL = 'This was done, but not all nodes of the cluster could be told: they may not know of it yet.'
const NOT_OUT = 'not all nodes could be told, or taken out of the cluster'

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

  /** Forgets which they are: a commit has found another epoch. */
  forgetNodes(): void {
    this.#list = undefined
  }

  /** Asks which they are once more, if that is known. @throws Failure */
  async refresh(): Promise<void> {
    if (this.#list === undefined) return
    this.forgetNodes()
    await this.#nodes()
  }

  /**
   * Tells all nodes that an entry may come. Who has heard looks into the log before it answers, so it does no harm when
   * the entry never comes. From the second of a streak on they are told that any may come, and then of none any more:
   * who cannot be told that the streak has ended goes on looking.
   * @throws Failure `unavailable`
   */
  async announce(stream: string, seq: number): Promise<Announcement> {
    const position = { announced: seq, committed: seq - 1 }
    const to = await this.#nodes()
    const before = this.#streaks.get(stream)
    const isNext = before?.position.announced === seq - 1
    let untold: UnreachedPeers = []
    if (isNext && before.isOpen && before.isHeard && before.to === to) this.#goOn(stream, before, position)
    else {
      const streak: WriteStreak = { to, position, isOpen: isNext, isHeard: undefined, isNews: false }
      this.#goOn(stream, streak, position)
      untold = await this.#announceTo(to.peers, stream, { ...position, window: this.#window(streak) })
      streak.isHeard = untold.length === 0
    }
    // Last: readers here need to look only while it is being committed.
    void this.#options.positions.update(stream, position)
    return { stream, seq, to, untold }
  }

  /**
   * Lets all know, soon, that an entry is there, and takes out who could not be told before. Resolves when none of them
   * answers without it.
   */
  async confirm({ stream, seq, to, untold }: Announcement): Promise<void> {
    const position = upTo(seq)
    void this.#options.positions.update(stream, position)
    const streak = this.#streaks.get(stream) ?? { to, position, isOpen: false, isHeard: false, isNews: true }
    this.#goOn(stream, streak, position)
    if (untold.length === 0) return
    this.forgetNodes()
    await this.#orWaitForLeases(() => this.#evictAll(untold))
  }

  /**
   * Tells all nodes of a change of accounts that was committed just now, and waits until each knows it or is out.
   * @throws Failure `unavailable`, `doubtful` in its data: a node may not know it, which may write
   */
  async untilReplicated(stream: string, seq: number): Promise<void> {
    const heard = this.#options.positions.update(stream, upTo(seq))
    const isOut = await this.#orWaitForLeases(async () =>
      this.#evictAll(await this.#announceTo(await this.peers(), stream, upTo(seq))),
    )
    // Who has a lease has heard, or has it no more by now; only what a node has begun may still be committed.
    if (!isOut) throw new Failure('unavailable', DOUBTFUL, { doubtful: true })
    await heard
  }

  /**
   * Takes a node out: what it has begun cannot be committed any more. Waits for what it is committing, and then for so
   * many milliseconds in which it can neither renew its lease nor is gone from the list. @throws Failure
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

  /** Tells the others now and then what is there, and of the end of each streak, as long as there are any. */
  async #tend(): Promise<void> {
    while (this.#streaks.size > 0) {
      await pause(SOON_MS, undefined, { ref: false })
      for (const [stream, streak] of this.#streaks) {
        const { to, position, isNews, isOpen, isHeard } = streak
        // What it would say might be known before what they are being told.
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
    const telling = peers.map(async peer => {
      const outcome = await this.#options.peers.announce(peer, stream, news, until)
      return outcome === 'heard' ? [] : [{ peer, outcome }]
    })
    return (await Promise.all(telling)).flat()
  }

  async #evictAll(untold: UnreachedPeers): Promise<void> {
    const evicting = untold.map(({ peer, outcome }) => {
      this.#options.log.warn({ node: peer.url, outcome }, 'a node does not answer and is taken out of the cluster')
      // A silent one may still renew its lease, and answer: whoever no longer finds it in the list tells it nothing.
      return this.evict(peer.id, outcome === 'silent' ? SILENCE_MS : 0)
    })
    await Promise.all(evicting)
  }

  /**
   * Where `act` fails, waits out the leases: whoever has one then renewed it since, and has read how far the streams are.
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
