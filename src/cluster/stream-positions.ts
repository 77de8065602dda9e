/** How far the streams are, as far as this node knows, and the listeners. */
import { furthest, type StreamPosition, upTo } from './cluster-log.ts'

/** The stream of the accounts. */
export const ACCOUNTS = 'accounts'

/** Entries that a node may write to a stream without announcing each. */
export interface WriteWindow {
  /** The node that says so. */
  sender: string
  /** The greater, the later it was said: news may come in another order. */
  count: number
  /** Whether it may write any, until it says otherwise; else none after what the news name. */
  isOpen: boolean
}

/** An announcement about a stream. */
export interface StreamNews extends StreamPosition {
  window?: WriteWindow
}

/** Called with a stream's position. The node confirms the announcement when the result resolves. */
export type PositionListener = (position: StreamPosition) => Promise<void> | void

/** See the top of the file. */
export class StreamPositions {
  readonly #newest = new Map<string, StreamPosition>()
  /** Of each stream who may write to it without saying so each time, and the count of the news that said it. */
  readonly #open = new Map<string, Map<string, number>>()
  readonly #followers = new Map<string, Set<PositionListener>>()

  /**
   * Calls `heard` with the newest known, at once and whenever it changes. Follow first, then read.
   * @returns what ends it
   */
  follow(stream: string, heard: PositionListener): () => void {
    const followers = this.#followers.get(stream) ?? new Set()
    this.#followers.set(stream, followers.add(heard))
    if (this.#newest.has(stream)) void heard(this.#position(stream))
    return () => {
      followers.delete(heard)
      if (followers.size === 0 && this.#followers.get(stream) === followers) this.#followers.delete(stream)
    }
  }

  /** Notes how far a stream is; resolves when those who follow have done what they must before this node may say so. */
  async update(stream: string, { window, ...news }: StreamNews): Promise<void> {
    const before = this.#position(stream)
    this.#newest.set(stream, furthest(this.#newest.get(stream) ?? upTo(0), news))
    if (window) this.#note(stream, window)
    const now = this.#position(stream)
    if (now.announced !== before.announced || now.committed !== before.committed || stream === ACCOUNTS)
      await this.#notify(stream)
  }

  /** Those who may write to some stream without saying so each time. */
  get senders(): string[] {
    return [...new Set([...this.#open.values()].flatMap(counts => [...counts.keys()]))]
  }

  /** Of some nodes nothing comes any more that is not known. */
  closeWindows(senders: readonly string[]): void {
    for (const [stream, counts] of this.#open) {
      if (senders.filter(sender => counts.delete(sender)).length === 0 || counts.size > 0) continue
      this.#open.delete(stream)
      void this.#notify(stream)
    }
  }

  /** The streams that are followed. */
  get followed(): string[] {
    return [...this.#followers.keys()]
  }

  /** The newest entry of each stream that is followed, as far as known. */
  newest(): Map<string, number> {
    const followed = [...this.#newest].filter(([stream]) => this.#followers.has(stream))
    return new Map(followed.map(([stream, { committed }]) => [stream, committed]))
  }

  #note(stream: string, { sender, count, isOpen }: WriteWindow): void {
    const counts = this.#open.get(stream) ?? new Map<string, number>()
    if (count < (counts.get(sender) ?? 0)) return
    if (isOpen) this.#open.set(stream, counts.set(sender, count))
    else if (counts.delete(sender) && counts.size === 0) this.#open.delete(stream)
  }

  #position(stream: string): StreamPosition {
    const newest = this.#newest.get(stream) ?? upTo(0)
    return this.#open.has(stream) ? { announced: Number.POSITIVE_INFINITY, committed: newest.committed } : newest
  }

  async #notify(stream: string): Promise<void> {
    const position = this.#position(stream)
    await Promise.all([...(this.#followers.get(stream) ?? [])].map(follower => follower(position)))
  }
}
