/** The events of one organization: its newest revisions in order, and the streams that get each of them. */
import type { FastifyInstance } from 'fastify'
import { reaches } from '../../auth/access.ts'
import { namesWithin } from '../../project/glossary-file.ts'
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

/** Maximum commits that wait to be rendered. With more, the feed reads the history. */
const MOST_PENDING = 1_000
/** Maximum commits of one run, and the bytes of their events. */
const BATCH = { commits: 64, bytes: 256 * 1024 }

type Parts = Pick<FastifyInstance, 'store' | 'background' | 'log'>

/**
 * Each stream has a position, and gets the events of the revisions after it. New commits come from the store's
 * announcements. Gaps are read from the history: the organization was closed, or a person moved the branch. When the
 * position left the history, the stream gets a `reset`.
 */
export class EventFeed {
  readonly streams = new Set<EventStream>()
  /** When it last had a stream (`performance.now()`). */
  used = performance.now()
  readonly #organization: string
  readonly #parts: Parts
  readonly #events: ByteCache<ChangeEvent>
  /** Events that streams are being sent, by revision. A large one has no room in the cache. */
  readonly #shared = new Map<string, Promise<ChangeEvent>>()
  readonly #countSent: (events: number) => void
  readonly #look: LookAtPast
  /** The newest revisions in order. Empty before the first run. */
  readonly #revisions: RevisionWindow
  readonly #stop: () => void
  readonly #work: BackgroundTask
  #pending: MainLineCommit[] = []
  /** Whether commits may be missing between the newest revision and the pending ones. */
  #isBehind = true
  #isClosed = false

  /** @param events rendered ones, by organization and revision @param sent counts sent events */
  constructor(organization: string, parts: Parts, events: ByteCache<ChangeEvent>, sent: (events: number) => void) {
    this.#organization = organization
    this.#parts = parts
    this.#events = events
    this.#countSent = sent
    this.#look = use => parts.store.look(organization, use)
    this.#revisions = new RevisionWindow(this.#look)
    this.#work = parts.background.task({
      name: 'sending events',
      retry: [200, 10_000],
      run: () => this.#update(),
    })
    this.#stop = parts.store.listen(organization, {
      committed: commits => this.#enqueue(commits),
      opened: () => this.#catchUp(),
    })
  }

  /** Sends a stream the events after `since`, by default after now, and then all new ones. */
  join(stream: EventStream, since: string | undefined): void {
    this.streams.add(stream)
    const begin = async () => {
      // A writer may name the revision of its last answer.
      this.#isBehind = true
      await this.#work.now()
      const { newest } = this.#revisions
      if (stream.caller.projects) await this.#beginWithin(stream, since, newest)
      else stream.position = since ?? newest
    }
    this.#parts.background.once('opening a stream of events', () => this.#run(stream, begin))
  }

  /** Begins for a token limited to some projects. Ids of other projects' commits are neither sent nor accepted. */
  async #beginWithin(stream: EventStream, since: string | undefined, newest: string): Promise<void> {
    const shown = await this.#shownTo(stream, newest)
    if (since === undefined) stream.moveTo(shown)
    // Later commits were not for this stream.
    if (since === undefined || since === shown) stream.position = newest
    else if (since === NO_REVISION || (await this.#isWithin(since, stream.caller.projects!))) stream.position = since
    else await this.#reset(stream)
  }

  #isWithin(revision: string, projects: readonly string[]): Promise<boolean> {
    return this.#look(
      history => history !== undefined && isCommitWithin(history.objects, revision, namesWithin(projects)),
    )
  }

  /** The visible revision of a stream, see `shownRevision`. */
  async #shownTo({ caller: { projects } }: EventStream, revision: string): Promise<string> {
    if (projects === undefined || revision === NO_REVISION) return revision
    return (await this.#parts.store.newestChange(this.#organization, namesWithin(projects), revision)) ?? NO_REVISION
  }

  /** Sends an event of a project that is no commit. */
  notify(slug: string, event: Buffer): void {
    for (const stream of this.streams) {
      if ((stream.slug ?? slug) === slug && reaches(stream.caller, slug)) stream.notify(event)
    }
  }

  leave(stream: EventStream): void {
    this.streams.delete(stream)
    this.used = performance.now()
  }

  /**
   * Writes to streams that were silent for these milliseconds: their position, although its event was not for them, or
   * a comment. Also drops old revisions.
   */
  lookAfter(milliseconds: number): void {
    // A token limited to some projects must not see activity in others.
    for (const stream of this.streams) {
      stream.keepAlive(milliseconds, stream.isLive && !stream.caller.projects ? stream.position : undefined)
    }
    this.#revisions.trim()
  }

  close(): void {
    this.#isClosed = true
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

  /**
   * Adds new revisions, one turn later: writers are answered first, and further commits join. Then it wakes all
   * streams.
   * @returns 0 when more are waiting. New streams wait for the end of a run, and writes may never pause
   */
  async #update(): Promise<number | undefined> {
    await nextTurn()
    const fresh: string[] = []
    const done = () => {
      for (const revision of fresh) this.#shared.delete(revision)
    }
    try {
      if (this.#isBehind) await this.#readOn()
      let bytes = 0
      for (let commits = 0; commits < BATCH.commits && bytes < BATCH.bytes; commits++) {
        const commit = this.#pending.shift()
        if (commit === undefined) break
        if ((commit.before ?? NO_REVISION) === this.#revisions.newest) {
          const event = await this.#render(commit)
          bytes += event.size
          this.#shared.set(commit.revision, Promise.resolve(event))
          fresh.push(commit.revision)
          this.#revisions.push(commit.revision)
        } else if (!this.#revisions.has(commit.revision)) {
          this.#isBehind = true
          break
        }
      }
    } catch (error) {
      this.#isBehind = true
      done()
      throw error
    }
    const idle = [...this.streams].filter(stream => !stream.isBusy)
    for (const stream of idle) stream.isBusy = true
    const sendAll = () => Promise.all(idle.map(stream => this.#run(stream))).finally(done)
    this.#parts.background.once('sending events to streams', sendAll)
    return this.#isBehind || this.#pending.length > 0 ? 0 : undefined
  }

  /** Adds the revisions of the history after the newest one. */
  async #readOn(): Promise<void> {
    this.#isBehind = false
    this.#pending = []
    const head = await this.#look(history => history?.head.commit ?? NO_REVISION)
    const { newest, isEmpty } = this.#revisions
    if (isEmpty) this.#revisions.push(head)
    if (isEmpty || head === newest) return
    const between = await revisionsBefore(this.#look, head, MOST_BEHIND, newest)
    if (between[0] === newest) this.#revisions.push(...between.slice(1), head)
    else this.#revisions.restart(head)
  }

  /** Sends a stream what it lacks, after `begin`. A failure ends the stream. */
  async #run(stream: EventStream, begin?: () => Promise<void>): Promise<void> {
    try {
      await begin?.()
      await this.#sendAll(stream)
    } catch (err) {
      stream.end('failed')
      if (!this.#isClosed) this.#parts.log.warn({ organization: this.#organization, err }, 'a stream of events failed')
    }
  }

  /** Sends the events after a stream's position. */
  async #sendAll(stream: EventStream): Promise<void> {
    const pause = slices()
    let gone = false
    while (!stream.isOver) {
      if (!this.#revisions.has(stream.position)) await this.#revisions.find(stream.position)
      const next = this.#revisions.after(stream.position)
      if (next === undefined) await this.#reset(stream)
      else if (next.length === 0) break
      for (const revision of next ?? []) {
        const event = this.#events.get(this.#name(revision)) ?? (await this.#read(revision))
        const bytes = stream.slug === undefined ? event.whole : event.projects.get(stream.slug)
        if (bytes !== undefined) {
          stream.send(bytes, revision)
          this.#countSent(1)
          gone = stream.slug !== undefined && event.gone.has(stream.slug)
        }
        stream.position = revision
        if (!stream.isLive) await stream.drained()
        await pause()
        if (stream.isOver) return
      }
    }
    // In the turn that found nothing more, so that no later event is missed.
    stream.isBusy = false
    if (!stream.isLive && !stream.caller.projects) stream.moveTo(stream.position)
    stream.isLive = true
    if (gone) this.#endOfDeleted(stream, stream.slug!)
  }

  /** Ends a project's stream, unless the project exists again. */
  #endOfDeleted(stream: EventStream, slug: string): void {
    this.#parts.background.once('ending the streams of a deleted project', async () => {
      const isThere = (now: Snapshot) => projectIn(now, slug) !== undefined
      if (!(await this.#parts.store.read(this.#organization, isThere))) stream.end('gone')
    })
  }

  async #reset(stream: EventStream): Promise<void> {
    const { newest } = this.#revisions
    const shown = await this.#shownTo(stream, newest)
    stream.send(resetText(shown), shown)
    stream.position = newest
  }

  /** Reads an event, once for all streams that want it at the same time: a large one has no room in the cache. */
  #read(revision: string): Promise<ChangeEvent> {
    const known = this.#shared.get(revision)
    if (known) return known
    const reading = this.#look(history => readCommitOf(history!, revision))
      .then(commit => this.#render(commit))
      .finally(() => this.#shared.delete(revision))
    this.#shared.set(revision, reading)
    return reading
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
