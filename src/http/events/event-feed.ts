/** The events of one organization: its newest revisions in order, and the streams that get each of them. */
import type { FastifyInstance } from 'fastify'
import { projectIn } from '../../project/layout.ts'
import type { BackgroundTask } from '../../scheduling/background.ts'
import type { ByteCache } from '../../scheduling/byte-cache.ts'
import { nextTurn, slices } from '../../scheduling/slices.ts'
import { readCommitOf, revisionsBefore } from '../../store/revisions/commits.ts'
import { isCommitWithin } from '../../store/revisions/newest-change.ts'
import type { LookAtPast } from '../../store/revisions/past.ts'
import { type MainLineCommit, NO_REVISION, type Snapshot } from '../../store/store.ts'
import { type ChangeEvent, renderChange, resetText } from './change-event.ts'
import type { EventStream } from './event-stream.ts'
import { MOST_BEHIND, RevisionWindow } from './revision-window.ts'

/** Maximum commits that wait to be sent. With more, the feed reads the history. */
const MOST_PENDING = 1_000
/** Maximum events of one turn, and their bytes. */
const BATCH = { events: 64, bytes: 256 * 1024 }
/** Maximum batches of one run. */
const BATCHES = 64

type Parts = Pick<FastifyInstance, 'store' | 'background'>

/**
 * New commits come from the store's announcements. Gaps are read from the history: the organization was closed, or a
 * person moved the branch. A revision that left the history results in a `reset`.
 */
export class EventFeed {
  readonly streams = new Set<EventStream>()
  /** When it last had a stream (`performance.now()`). */
  used = performance.now()
  readonly #organization: string
  readonly #parts: Parts
  readonly #events: ByteCache<ChangeEvent>
  readonly #countSent: (events: number) => void
  readonly #look: LookAtPast
  /** Sent revisions, the newest last. Empty before the first run. */
  readonly #sent: RevisionWindow
  readonly #stop: () => void
  readonly #work: BackgroundTask
  /** Streams with all events so far, by project. */
  readonly #live = new Map<string | undefined, Set<EventStream>>()
  #pending: MainLineCommit[] = []
  /** Whether commits may be missing between the last revision and the pending ones. */
  #isBehind = true

  /** @param events rendered ones, by organization and revision @param sent counts sent events */
  constructor(organization: string, parts: Parts, events: ByteCache<ChangeEvent>, sent: (events: number) => void) {
    this.#organization = organization
    this.#parts = parts
    this.#events = events
    this.#countSent = sent
    this.#look = use => parts.store.look(organization, use)
    this.#sent = new RevisionWindow(this.#look)
    this.#work = parts.background.task({
      name: 'sending events',
      retry: [200, 10_000],
      run: () => this.#sendAll(),
    })
    this.#stop = parts.store.listen(organization, {
      committed: commits => this.#enqueue(commits),
      opened: () => this.#catchUp(),
    })
  }

  /** The newest revision that was sent. */
  get newest(): string {
    return this.#sent.newest
  }

  /**
   * Sends a stream the events after `since`, by default after now, and then all new ones.
   * @throws Failure as `Store.look`
   */
  async join(stream: EventStream, since: string | undefined): Promise<void> {
    if (stream.isOver) return
    this.streams.add(stream)
    // A writer may name the revision of its last answer.
    this.#isBehind = true
    await this.#work.now()
    if (stream.caller.projects) return this.#joinWithin(stream, since)
    if (since === undefined) return this.#enliven(stream)
    await this.#replay(stream, since)
  }

  /**
   * As {@link join}, for a token limited to some projects. Ids of other projects' commits are neither sent nor
   * accepted.
   */
  async #joinWithin(stream: EventStream, since: string | undefined): Promise<void> {
    const from = this.newest
    const shown = await this.#shownTo(stream, from)
    if (since === undefined) stream.moveTo(shown)
    // Later commits were not for this stream.
    if (since === undefined || since === shown) return this.#replay(stream, from)
    const projects = stream.caller.projects!
    const isOwn =
      since === NO_REVISION ||
      (await this.#look(history => history !== undefined && isCommitWithin(history.objects, since, projects)))
    await (isOwn ? this.#replay(stream, since) : this.#reset(stream))
  }

  /** The visible revision of a stream, see `shownRevision`. */
  async #shownTo({ caller: { projects } }: EventStream, revision: string): Promise<string> {
    if (projects === undefined || revision === NO_REVISION) return revision
    return (await this.#parts.store.newestChange(this.#organization, projects, revision)) ?? NO_REVISION
  }

  leave(stream: EventStream): void {
    this.streams.delete(stream)
    this.used = performance.now()
    const live = this.#live.get(stream.slug)
    live?.delete(stream)
    if (live?.size === 0) this.#live.delete(stream.slug)
  }

  /**
   * Writes to streams that were silent for these milliseconds: the newest id, although its event was not for them, or a
   * comment. Also drops old revisions.
   */
  lookAfter(milliseconds: number): void {
    for (const stream of this.streams) {
      const isLive = this.#live.get(stream.slug)?.has(stream) ?? false
      // A token limited to some projects must not see activity in others.
      stream.keepAlive(milliseconds, isLive && !stream.caller.projects ? this.newest : undefined)
    }
    this.#sent.trim()
  }

  close(): void {
    this.#stop()
    this.#work.cancel(true)
  }

  #enqueue(commits: MainLineCommit[]): void {
    if (this.#pending.length + commits.length > MOST_PENDING) {
      this.#pending = []
      this.#isBehind = true
    } else this.#pending.push(...commits)
    // Its task logs a failure, and tries again.
    this.#work.now().catch(() => {})
  }

  #catchUp(): void {
    this.#isBehind = true
    this.#work.now().catch(() => {})
  }

  /** Sends pending commits, one turn later: writers are answered first, and further commits join. */
  async #sendAll(): Promise<number | undefined> {
    await nextTurn()
    const pause = slices()
    try {
      // New streams wait for the end of a run, and writes may never pause.
      for (let batches = 0; batches < BATCHES; batches++) {
        if (this.#isBehind) await this.#readOn()
        const commit = this.#pending[0]
        if (commit === undefined) return undefined
        if (follows(commit, this.newest)) await this.#sendPending()
        else {
          this.#pending.shift()
          this.#isBehind = !this.#sent.has(commit.revision)
        }
        await pause()
      }
      return 0
    } catch (error) {
      this.#isBehind = true
      throw error
    }
  }

  /** Sends consecutive pending commits, a batch in one turn. */
  async #sendPending(): Promise<void> {
    const events: ChangeEvent[] = []
    let bytes = 0
    let last = this.newest
    while (this.#pending[0] && follows(this.#pending[0], last) && events.length < BATCH.events && bytes < BATCH.bytes) {
      const event = await this.#render(this.#pending.shift()!)
      events.push(event)
      last = event.revision
      bytes += event.whole.length
    }
    this.#send(events)
  }

  /** Sends the history after the last sent revision. */
  async #readOn(): Promise<void> {
    this.#isBehind = false
    this.#pending = []
    const head = await this.#look(history => history?.head.commit ?? NO_REVISION)
    if (this.#sent.isEmpty) this.#sent.push(head)
    const last = this.newest
    if (head === last) return
    const between = await revisionsBefore(this.#look, head, MOST_BEHIND, last)
    if (between[0] !== last) return this.#resetAll(head)
    const pause = slices()
    for (const revision of [...between.slice(1), head]) {
      this.#send([await this.#event(revision)])
      await pause()
    }
  }

  #send(events: ChangeEvent[]): void {
    this.#sent.push(...events.map(({ revision }) => revision))
    for (const [slug, streams] of this.#live) {
      const own = slug === undefined ? events : events.filter(({ projects }) => projects.has(slug))
      const last = own.at(-1)?.revision
      if (last === undefined) continue
      const parts = own.map(event => bytesFor(event, slug)!)
      const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
      for (const stream of streams) stream.send(bytes, last)
      this.#countSent(own.length * streams.size)
      if (slug !== undefined && own.some(({ gone }) => gone.has(slug))) this.#endOfDeleted(slug)
    }
  }

  /** Ends a project's streams, unless the project exists again. */
  #endOfDeleted(slug: string): void {
    this.#parts.background.once('ending the streams of a deleted project', async () => {
      const isThere = (now: Snapshot) => projectIn(now, slug) !== undefined
      if (await this.#parts.store.read(this.#organization, isThere)) return
      for (const stream of this.#live.get(slug) ?? []) stream.end('gone')
    })
  }

  /** Sends the events after a revision, then all new ones. */
  async #replay(stream: EventStream, since: string): Promise<void> {
    const pause = slices()
    let last = since
    let gone = false
    for (;;) {
      await this.#sent.find(last)
      // A stream with all events becomes live in the same turn.
      const next = this.#sent.after(last)
      if (next === undefined) return this.#reset(stream)
      if (next.length === 0 || stream.isOver) break
      for (last of next) {
        const event = await this.#event(last)
        const bytes = bytesFor(event, stream.slug)
        if (bytes !== undefined) {
          stream.send(bytes, last)
          this.#countSent(1)
          gone = stream.slug !== undefined && event.gone.has(stream.slug)
        }
        await stream.drained()
        await pause()
        if (stream.isOver) break
      }
    }
    this.#enliven(stream)
    if (gone) this.#endOfDeleted(stream.slug!)
  }

  #enliven(stream: EventStream): void {
    if (stream.isOver) return
    if (!stream.caller.projects) stream.moveTo(this.newest)
    this.#live.set(stream.slug, (this.#live.get(stream.slug) ?? new Set()).add(stream))
  }

  async #reset(stream: EventStream): Promise<void> {
    const from = this.newest
    const shown = await this.#shownTo(stream, from)
    stream.send(resetText(shown), shown)
    await this.#replay(stream, from)
  }

  /** The sent revisions are no longer on the main line. */
  async #resetAll(head: string): Promise<void> {
    const shown = new Map<EventStream, string>()
    for (const stream of this.#allLive()) shown.set(stream, await this.#shownTo(stream, head))
    this.#sent.restart(head)
    for (const stream of this.#allLive()) {
      const revision = shown.get(stream)
      // A stream that joined meanwhile reconnects with its last id.
      if (revision === undefined) stream.end('failed')
      else stream.send(resetText(revision), revision)
    }
  }

  #allLive(): EventStream[] {
    return [...this.#live.values()].flatMap(streams => [...streams])
  }

  /** The rendered event of a revision, from the cache if possible. */
  async #event(revision: string): Promise<ChangeEvent> {
    const known = this.#events.get(this.#name(revision))
    return known ?? this.#render(await this.#look(history => readCommitOf(history!, revision)))
  }

  async #render(commit: MainLineCommit): Promise<ChangeEvent> {
    const event = await renderChange(commit)
    this.#events.set(this.#name(event.revision), event, { size: event.size })
    return event
  }

  #name(revision: string): string {
    return `${this.#organization} ${revision}`
  }
}

const follows = ({ before }: MainLineCommit, last: string) => (before ?? NO_REVISION) === last

/** The bytes for streams of a project, or of the whole organization. */
const bytesFor = ({ whole, projects }: ChangeEvent, slug: string | undefined) =>
  slug === undefined ? whole : projects.get(slug)
