/**
 * A log shared by several stores of one process, in memory, with faults on demand: what `cluster/` has on PostgreSQL.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../src/bundle/errors.ts'
import {
  type ClusterLog,
  furthest,
  type LogEntry,
  type LogTurn,
  type NewEntry,
  type StreamPosition,
  upTo,
} from '../../src/cluster/cluster-log.ts'
import { Overtaken } from '../../src/store/write/shared-log.ts'
import { random } from '../random.ts'

/** What may befall a call: a delay in milliseconds, or an answer that gets lost before or after the work is done. */
export type Fault = number | 'lost-before' | 'lost-after' | 'refused' | undefined

type Call = 'append' | 'turn' | 'read' | 'find' | 'hear'

/** Entries that are read at once, at most. */
const MOST_READ = 60

interface Stream {
  /** Entries up to this number were dropped. */
  base: number
  baseHead: string | null
  entries: LogEntry[]
  /** Settles when the holder of the stream lets go. */
  held: Promise<void>
}

/** Milliseconds after which a deaf node loses its lease: in place of seconds. */
const LEASE_MS = 30

const unavailable = (doubtful: boolean) =>
  new Failure('unavailable', 'The engine is away, by the test.', { retryAfter: 1, ...(doubtful && { doubtful }) })

/** The engine, and the list of nodes. */
export class MemoryEngine {
  readonly streams = new Map<string, Stream>()
  readonly nodes = new Set<MemoryLog>()
  readonly removed = new Set<string>()
  /** Whether entries go that all nodes have sealed. */
  trims = false

  /** A node joins: it knows all positions. */
  join(options: Pick<MemoryLog, 'gitDirOf'> & { fault?: MemoryLog['fault'] }): MemoryLog {
    const node = new MemoryLog(this, options.gitDirOf)
    if (options.fault) node.fault = options.fault
    for (const [id, { base, entries }] of this.streams) node.hear(id, upTo(base + entries.length))
    this.nodes.add(node)
    return node
  }

  /** @throws Failure `not-found` for one that was removed */
  stream(id: string): Stream {
    if (this.removed.has(id)) throw new Failure('not-found', 'This organization has been deleted.')
    let stream = this.streams.get(id)
    if (stream === undefined) {
      this.streams.set(id, (stream = { base: 0, baseHead: null, entries: [], held: Promise.resolve() }))
    }
    return stream
  }

  /** Resolves when every node that answers reads has heard that an entry may come; who joins meanwhile, too. */
  async foretell(id: string, seq: number): Promise<void> {
    const position = { announced: seq, committed: seq - 1 }
    for (;;) {
      const nodes = [...this.nodes].filter(node => node.leased && node.position(id).announced < seq)
      if (nodes.length === 0) return
      await Promise.all(nodes.map(node => node.told(id, position)))
    }
  }

  /** Some time later; who misses it looks when it is asked. */
  spread(id: string, seq: number): void {
    for (const node of this.nodes) if (node.leased) void node.told(id, upTo(seq))
  }

  trim(id: string): void {
    const stream = this.stream(id)
    const least = Math.min(...[...this.nodes].map(node => node.sealedUpTo.get(id) ?? 0))
    // It ends with an entry that has a commit: a repository is found by its branch, and may lack the tags that follow.
    const last = stream.entries.find(({ seq }) => seq === least)?.head
    if (last === undefined || last === stream.baseHead) return
    const end = stream.entries.find(({ head }) => head === last)!.seq
    while (stream.base < end) {
      stream.baseHead = stream.entries.shift()!.head
      stream.base++
    }
  }
}

/** One node's view of it. */
export class MemoryLog implements ClusterLog {
  stale = false
  /** Whether it may answer reads: asked by the tests as the door of every request would. */
  leased = true
  /** How often it lost its lease: what was read meanwhile is not said. */
  losses = 0
  /** Hears nothing any more, as when its process is stopped. */
  silent = false
  isDead = false
  fault: (call: Call) => Fault = () => undefined
  readonly #positions = new Map<string, StreamPosition>()
  readonly sealedUpTo = new Map<string, number>()
  readonly gitDirOf: (stream: string) => string
  readonly #engine: MemoryEngine
  readonly #followers = new Map<string, Set<(position: StreamPosition) => void>>()
  /** Let go of the streams held. */
  readonly #holding = new Set<() => void>()

  constructor(engine: MemoryEngine, gitDirOf: MemoryLog['gitDirOf']) {
    this.#engine = engine
    this.gitDirOf = gitDirOf
  }

  /** The process ends, as by a kill: nothing of it reaches anybody any more. */
  kill(): void {
    this.isDead = true
    this.#lose()
    this.#engine.nodes.delete(this)
    this.#followers.clear()
    for (const free of this.#holding) free()
  }

  /** Hears again, joins again. */
  wake(): void {
    this.silent = false
    for (const [id, { base, entries }] of this.#engine.streams) this.hear(id, upTo(base + entries.length))
    this.leased = !this.isDead
  }

  position(id: string): StreamPosition {
    return this.#positions.get(id) ?? upTo(0)
  }

  hear(id: string, news: StreamPosition): void {
    const before = this.position(id)
    if (news.announced <= before.announced && news.committed <= before.committed) return
    const position = furthest(before, news)
    this.#positions.set(id, position)
    for (const follower of this.#followers.get(id) ?? []) follower(position)
  }

  forget(id: string): void {
    this.#positions.delete(id)
  }

  #lose(): void {
    if (this.leased) this.losses++
    this.leased = false
  }

  async told(id: string, position: StreamPosition): Promise<void> {
    const fault = this.fault('hear')
    if (typeof fault === 'number') await pause(fault)
    if (!this.silent) return this.hear(id, position)
    await pause(LEASE_MS)
    if (this.silent) this.#lose()
  }

  async has(id: string): Promise<boolean> {
    await this.#try('find')
    const stream = this.#engine.streams.get(id)
    return stream !== undefined && stream.base + stream.entries.length > 0
  }

  async append(id: string, after: number, entry: NewEntry): Promise<void> {
    const lost = await this.#try('append')
    for (let held: Promise<void> | undefined; held !== this.#engine.stream(id).held; ) {
      held = this.#engine.stream(id).held
      await held
    }
    await this.#append(id, after, entry, lost)
  }

  async turn(id: string): Promise<LogTurn> {
    await this.#try('turn')
    const stream = this.#engine.stream(id)
    const before = stream.held
    let free = () => {}
    stream.held = before.then(() => new Promise<void>(resolve => (free = resolve)))
    await before
    const release = () => {
      this.#holding.delete(free)
      free()
    }
    this.#holding.add(free)
    if (this.isDead) release()
    return {
      append: async (after, entry) => {
        try {
          const lost = await this.#try('append')
          await this.#append(id, after, entry, lost, release)
        } finally {
          release()
        }
      },
      release: async () => release(),
    }
  }

  async read(id: string, after: number): Promise<LogEntry[]> {
    await this.#try('read')
    const { base, entries } = this.#engine.stream(id)
    if (after < base) throw new Failure('unavailable', `The test's log begins at ${base}, and not after ${after}.`)
    const some = entries.slice(after - base, after - base + 1 + Math.floor(random() * MOST_READ))
    return some.map(entry => (entry === entries.at(-1) ? { ...entry, isLast: true } : entry))
  }

  async find(id: string, head: string | null): Promise<number | undefined> {
    await this.#try('find')
    const { base, baseHead, entries } = this.#engine.stream(id)
    if (head === baseHead) return base
    return entries.find(entry => entry.head === head)?.seq
  }

  async fetch(id: string, gitDir: string): Promise<void> {
    const refs = ['refs/heads/main', 'refs/tags/*', 'refs/parlance/*'].map(ref => `${ref}:${ref}`)
    for (const node of this.#engine.nodes) {
      const from = node.gitDirOf(id)
      if (node === this || !existsSync(from)) continue
      execFileSync('git', ['-C', gitDir, 'fetch', '-q', '--update-head-ok', from, ...refs])
      return
    }
    throw new Failure('unavailable', 'No other node has it.')
  }

  follow(id: string, heard: (position: StreamPosition) => void): () => void {
    const followers = this.#followers.get(id) ?? new Set()
    this.#followers.set(id, followers.add(heard))
    const position = this.#positions.get(id)
    if (position) heard(position)
    return () => followers.delete(heard)
  }

  sealed(id: string, seq: number): void {
    if (this.isDead) return
    this.sealedUpTo.set(id, Math.max(seq, this.sealedUpTo.get(id) ?? 0))
    if (this.#engine.trims) this.#engine.trim(id)
  }

  async remove(id: string): Promise<void> {
    this.#engine.removed.add(id)
    this.#engine.streams.delete(id)
    for (const node of this.#engine.nodes) node.forget(id)
  }

  /** @returns whether the answer will be lost */
  async #try(call: Call): Promise<boolean> {
    // Nothing comes back from a network at once.
    const fault = this.isDead ? 'refused' : this.fault(call)
    await pause(typeof fault === 'number' ? fault : 0)
    if (fault === 'refused' || this.isDead) throw unavailable(false)
    if (fault === 'lost-before') throw unavailable(call === 'append')
    return fault === 'lost-after'
  }

  async #append(id: string, after: number, { id: name, head, frame }: NewEntry, lost: boolean, written = () => {}) {
    await this.#engine.foretell(id, after + 1)
    if (!this.leased) throw unavailable(false)
    const { base, entries } = this.#engine.stream(id)
    if (base + entries.length !== after) throw new Overtaken()
    // A copy, as the engine has it.
    entries.push({ seq: after + 1, id: name, head, frame: Buffer.from(frame) })
    written()
    this.#engine.spread(id, after + 1)
    if (lost || this.isDead) throw unavailable(true)
  }
}
