/** All streams of events: their limits, the right to read, and their end. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Caller } from '../../auth/access.ts'
import { busy, Failure, stopping } from '../../bundle/errors.ts'
import type { BackgroundTask } from '../../scheduling/background.ts'
import { type ByteCache, byteCache } from '../../scheduling/byte-cache.ts'
import { type Claimant, FairShares } from '../../scheduling/fair-shares.ts'
import { slices } from '../../scheduling/slices.ts'
import { claimantOfCaller } from '../bounds/body-memory.ts'
import { isGone, whenGone } from '../bounds/when-gone.ts'
import { type ChangeEvent, noticeText } from './change-event.ts'
import { EventFeed } from './event-feed.ts'
import { type Ending, EventStream } from './event-stream.ts'

/** Maximum streams, and the bytes that may wait for one reader. */
interface StreamLimits {
  all: number
  perOrganization: number
  perCredential: number
  waiting: number
}

/** A stream ends within two seconds after its access does. */
const LOOK_MS = 1000
/** A feed without streams stays for clients that reconnect. */
const UNUSED_MS = 60_000
const RETRY_SECONDS = 5

/** Open streams, and counters since the start. */
export interface StreamCounts {
  open: number
  sent: number
  /** Streams ended by the server, by reason. */
  ended: ReadonlyMap<Ending, number>
}

/** A stream that counts towards the limits. */
interface OpenStream {
  claimant: Claimant
  stream: EventStream
}

/** A user has one share in all of their organizations. */
const acrossOrganizations = ({ credential }: Claimant): Claimant => ({ organization: credential, credential })

type Parts = Pick<FastifyInstance, 'store' | 'auth' | 'background' | 'mayRead' | 'log'>

export class EventStreams {
  readonly #parts: Parts
  readonly #limits: StreamLimits
  readonly #silence: number
  readonly #events: ByteCache<ChangeEvent>
  readonly #feeds = new Map<string, EventFeed>()
  readonly #shares = new FairShares()
  /** By user or token across organizations. */
  readonly #credentials = new FairShares()
  readonly #open = new Set<OpenStream>()
  readonly #looking: BackgroundTask
  readonly #ended = new Map<Ending, number>()
  #sent = 0
  #isLooking = false
  #closed = false

  /**
   * @param cacheBytes for rendered events
   * @param silence maximum milliseconds without a write; with the interval of checks below the promised 15 seconds
   */
  constructor(parts: Parts, limits: StreamLimits, cacheBytes: number, silence: number) {
    this.#parts = parts
    this.#limits = limits
    this.#silence = silence
    this.#events = byteCache(cacheBytes)
    this.#looking = parts.background.task({
      name: 'checking streams of events',
      retry: [LOOK_MS, LOOK_MS],
      run: () => this.#look(),
    })
  }

  get counts(): StreamCounts {
    return { open: this.#shares.total, sent: this.#sent, ended: this.#ended }
  }

  /**
   * Answers with a stream: the events after `since`, then all new ones. Call {@link admit} in the same turn.
   * @param slug the project of the events; undefined for all
   */
  open(reply: FastifyReply, caller: Caller, slug?: string, since?: string): void {
    const claimant = claimantOfCaller(caller)
    reply.hijack()
    const { raw } = reply
    if (isGone(raw)) return
    raw.writeHead(200, reply.getHeaders() as Record<string, string>)
    const feed = this.#feedOf(caller.organization)
    const stream = new EventStream(raw, caller, slug, this.#limits.waiting)
    const counted = this.#count(claimant, stream)
    whenGone(raw, () => {
      this.#discount(counted)
      feed.leave(stream)
      const { ending } = stream
      if (ending) this.#ended.set(ending, (this.#ended.get(ending) ?? 0) + 1)
    })
    stream.greet()
    feed.join(stream, since)
    if (this.#isLooking) return
    this.#isLooking = true
    this.#looking.in(LOOK_MS)
  }

  /** Sends an event that is no commit, to the streams of a project and to those of the whole organization. */
  notify(organization: string, slug: string, event: string, data: object): void {
    this.#feeds.get(organization)?.notify(slug, noticeText(event, data))
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.#closed = true
    this.#looking.cancel(true)
    for (const feed of this.#feeds.values()) {
      for (const stream of feed.streams) stream.end('closing')
      feed.close()
    }
  }

  /**
   * Checks that a caller may open one more stream. At the limit of all, the organization with the most loses one to an
   * organization with fewer. @throws Failure `too-many`, `unavailable`
   */
  admit(caller: Caller): void {
    const { all, perOrganization, perCredential } = this.#limits
    const retryAfter = RETRY_SECONDS
    if (this.#closed) throw stopping()
    const claimant = claimantOfCaller(caller)
    const most = (who: string, count: number) =>
      new Failure('too-many', `${who} as many streams of events open as it may: ${count}.`, { retryAfter })
    if (this.#credentials.ofOrganization(acrossOrganizations(claimant)) >= perCredential) {
      throw most(caller.kind === 'token' ? 'This API token has' : 'Your account has', perCredential)
    }
    if (this.#shares.ofOrganization(claimant) >= perOrganization) throw most('The organization has', perOrganization)
    if (this.#shares.total < all) return
    const greedy = this.#shares.most(this.#open)
    if (greedy && this.#shares.yields(greedy.claimant, claimant, 1)) {
      this.#discount(greedy)
      greedy.stream.end('share')
      return
    }
    throw busy('The server has as many streams of events open as it may; try again.', retryAfter)
  }

  #count(claimant: Claimant, stream: EventStream): OpenStream {
    const counted = { claimant, stream }
    this.#open.add(counted)
    this.#shares.add(claimant, 1)
    this.#credentials.add(acrossOrganizations(claimant), 1)
    return counted
  }

  #discount(counted: OpenStream): void {
    if (!this.#open.delete(counted)) return
    this.#shares.add(counted.claimant, -1)
    this.#credentials.add(acrossOrganizations(counted.claimant), -1)
  }

  #feedOf(organization: string): EventFeed {
    const known = this.#feeds.get(organization)
    if (known) return known
    const sent = (events: number) => (this.#sent += events)
    const feed = new EventFeed(organization, this.#parts, this.#events, sent)
    this.#feeds.set(organization, feed)
    return feed
  }

  /** Ends streams without the right to read, and writes to silent ones. @returns milliseconds until the next check */
  async #look(): Promise<number | undefined> {
    const pause = slices()
    for (const [organization, feed] of this.#feeds) {
      const may = new Map<string, Caller | undefined>()
      for (const stream of feed.streams) {
        stream.breakOff()
        const present = this.#present(stream.caller, may)
        // After a change of its projects a client reconnects: its visible revisions changed too.
        const isSame = String(present?.projects) === String(stream.caller.projects)
        if (!present || !isSame) stream.end('access')
        await pause()
      }
      feed.lookAfter(this.#silence)
      // Counts as use: the organization stays open while there is room, so that external edits are found.
      if (feed.streams.size > 0) this.#parts.store.snapshot(organization)
      else if (performance.now() - feed.used > UNUSED_MS) {
        feed.close()
        this.#feeds.delete(organization)
      }
      await pause()
    }
    this.#isLooking = this.#feeds.size > 0
    return this.#isLooking ? LOOK_MS : undefined
  }

  /** The present caller, undefined without the right to read. One check for all streams of a credential. */
  #present(caller: Caller, may: Map<string, Caller | undefined>): Caller | undefined {
    const name = `${caller.id} ${caller.session ?? ''}`
    if (may.has(name)) return may.get(name)
    let present: Caller | undefined
    try {
      if (this.#parts.mayRead()) present = this.#parts.auth.recheck(caller, 'read')
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
    may.set(name, present)
    return present
  }
}
