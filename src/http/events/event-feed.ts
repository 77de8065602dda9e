/** The events of one organization: its newest revisions in order, and the streams that hear of each. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Task } from '../../background.ts'
import type { ByteCache } from '../../byte-cache.ts'
import { projectIn } from '../../project/layout.ts'
import { slices } from '../../slices.ts'
import { readCommitOf, revisionsBefore } from '../../store/revisions/commits.ts'
import { isCommitWithin } from '../../store/revisions/newest-change.ts'
import type { LookAtPast } from '../../store/revisions/past.ts'
import { type MainLineCommit, NO_REVISION, type Snapshot } from '../../store/store.ts'
import { type ChangeEvent, renderChange, resetText } from './change-event.ts'
import type { EventStream } from './event-stream.ts'
import { MOST_BEHIND, RevisionWindow } from './revision-window.ts'

/** Commits that wait to be told; with more the history tells them. */
const MOST_PENDING = 1_000
/** Events sent in one turn, and their bytes. */
const BATCH = { events: 64, bytes: 256 * 1024 }
/** Such batches in one run. */
const BATCHES = 64

type Parts = Pick<FastifyInstance, 'store' | 'background'>

/**
 * See the top of the file. New commits come from the store's announcements; what these leave out (the organization was
 * closed, a person moved the branch) is read from the history, and what is no longer in it makes a `reset`.
 */
export class EventFeed {
  readonly streams = new Set<EventStream>()
  /** When it last had a stream (`performance.now()`). */
  used = performance.now()
  readonly #organization: string
  readonly #parts: Parts
  readonly #events: ByteCache<ChangeEvent>
  readonly #tellSent: (events: number) => void
  readonly #look: LookAtPast
  /** Those that were sent, the newest one last; none before the first look. */
  readonly #sent: RevisionWindow
  readonly #stop: () => void
  readonly #work: Task
  /** Streams that have all events so far, by project. */
  readonly #live = new Map<string | undefined, Set<EventStream>>()
  #pending: MainLineCommit[] = []
  /** Whether commits may be missing between the last revision and the pending ones. */
  #isBehind = true

  /** @param events rendered ones, by organization and revision @param sent is told how many events were sent */
  constructor(organization: string, parts: Parts, events: ByteCache<ChangeEvent>, sent: (events: number) => void) {
    this.#organization = organization
    this.#parts = parts
    this.#events = events
    this.#tellSent = sent
    this.#look = use => parts.store.look(organization, use)
    this.#sent = new RevisionWindow(this.#look)
    this.#work = parts.background.task({
      name: 'telling of changes',
      retry: [200, 10_000],
      run: () => this.#tell(),
    })
    this.#stop = parts.store.listen(organization, {
      committed: commits => this.#take(commits),
      opened: () => this.#catchUp(),
    })
  }

  /** The newest revision that was sent. */
  get newest(): string {
    return this.#sent.newest
  }

  /**
   * Sends a stream what came after `since`, by default after now, and from then on all that comes.
   * @throws Failure as `Store.look`
   */
  async join(stream: EventStream, since: string | undefined): Promise<void> {
    if (stream.isOver) return
    this.streams.add(stream)
    // Whoever was just told of a revision may name it.
    this.#isBehind = true
    await this.#work.now()
    if (stream.caller.projects) return this.#joinWithin(stream, since)
    if (since === undefined) return this.#enliven(stream)
    await this.#replay(stream, since)
  }

  /** As {@link join}, for a token that is limited to some projects: no id of others' commits goes out or comes in. */
  async #joinWithin(stream: EventStream, since: string | undefined): Promise<void> {
    const from = this.newest
    const shown = await this.#shownTo(stream, from)
    if (since === undefined) stream.moveTo(shown)
    // Whatever came after it was not for this stream.
    if (since === undefined || since === shown) return this.#replay(stream, from)
    const projects = stream.caller.projects!
    const isOwn =
      since === NO_REVISION ||
      (await this.#look(history => history !== undefined && isCommitWithin(history.objects, since, projects)))
    await (isOwn ? this.#replay(stream, since) : this.#reset(stream))
  }

  /** What stands for a revision to a stream, see `shownRevision`. */
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
   * Writes to streams that were silent for so many milliseconds: the newest id, though its event is not for them, or a
   * comment; lets go of revisions that nobody asks for.
   */
  lookAfter(milliseconds: number): void {
    for (const stream of this.streams) {
      const isLive = this.#live.get(stream.slug)?.has(stream) ?? false
      // Whoever is limited to some projects is not to see when there is work on others.
      stream.keepAlive(milliseconds, isLive && !stream.caller.projects ? this.newest : undefined)
    }
    this.#sent.trim()
  }

  close(): void {
    this.#stop()
    this.#work.cancel(true)
  }

  #take(commits: MainLineCommit[]): void {
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

  /** Sends what is pending. A turn first: writers are answered meanwhile, and further commits come along. */
  async #tell(): Promise<number | undefined> {
    await yieldToOthers()
    const pause = slices()
    try {
      // Newcomers wait for the end of a run, and writers may never pause.
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

  /** Sends the pending commits that follow upon each other, some in one turn. */
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

  /** Sends what the history has after the last revision sent. */
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
      this.#tellSent(own.length * streams.size)
      if (slug !== undefined && own.some(({ gone }) => gone.has(slug))) this.#endOfDeleted(slug)
    }
  }

  /** Ends a project's streams, unless it is there again. */
  #endOfDeleted(slug: string): void {
    this.#parts.background.once('ending the streams of a deleted project', async () => {
      const isThere = (now: Snapshot) => projectIn(now, slug) !== undefined
      if (await this.#parts.store.read(this.#organization, isThere)) return
      for (const stream of this.#live.get(slug) ?? []) stream.end('gone')
    })
  }

  /** Sends what came after a revision, then all that comes. */
  async #replay(stream: EventStream, since: string): Promise<void> {
    const pause = slices()
    let last = since
    let gone = false
    for (;;) {
      await this.#sent.find(last)
      // Whoever has all becomes live in the same turn.
      const next = this.#sent.after(last)
      if (next === undefined) return this.#reset(stream)
      if (next.length === 0 || stream.isOver) break
      for (last of next) {
        const event = await this.#event(last)
        const bytes = bytesFor(event, stream.slug)
        if (bytes !== undefined) {
          stream.send(bytes, last)
          this.#tellSent(1)
          gone = stream.slug !== undefined && event.gone.has(stream.slug)
        }
        await stream.taken()
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

  /** All that was sent is no longer the main line. */
  async #resetAll(head: string): Promise<void> {
    const shown = new Map<EventStream, string>()
    for (const stream of this.#allLive()) shown.set(stream, await this.#shownTo(stream, head))
    this.#sent.restart(head)
    for (const stream of this.#allLive()) {
      const revision = shown.get(stream)
      // One that came meanwhile asks again by its last id.
      if (revision === undefined) stream.end('failed')
      else stream.send(resetText(revision), revision)
    }
  }

  #allLive(): EventStream[] {
    return [...this.#live.values()].flatMap(streams => [...streams])
  }

  /** Renders an event, unless it was of late. */
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

/** What those who hear of a project alone, or of everything, are sent. */
const bytesFor = ({ whole, projects }: ChangeEvent, slug: string | undefined) =>
  slug === undefined ? whole : projects.get(slug)
