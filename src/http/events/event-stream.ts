/** One client's stream of events: its writes and its end. */
import type { ServerResponse } from 'node:http'
import type { Caller } from '../../auth/access.ts'
import { NO_REVISION } from '../../store/store.ts'
import { isGone, whenGone } from '../bounds/when-gone.ts'
import { idText } from './change-event.ts'

/** Why the server ends a stream. */
export type Ending = 'access' | 'slow' | 'closing' | 'gone' | 'failed' | 'share'

/** Unread bytes before a stream of past events pauses. */
const AHEAD = 64 * 1024
const COMMENT = Buffer.from(':\n\n')

export class EventStream {
  readonly caller: Caller
  /** The project of the events; undefined for the whole organization. */
  readonly slug: string | undefined
  /** Why the server ended it. */
  ending: Ending | undefined
  /** The last revision that was sent, or is not for this stream. */
  position = NO_REVISION
  /** Whether events are being sent, or the position is being found. */
  isBusy = true
  /** Whether it once had all events. Before that it waits for its reader, after that it ends for a slow one. */
  isLive = false
  readonly #response: ServerResponse
  readonly #mostWaiting: number
  readonly #ahead: number
  /** The last id sent. */
  #lastId = ''
  /** Time of the last write (`performance.now()`). */
  #wrote = 0

  /** @param mostWaiting bytes that may wait for a slow reader */
  constructor(response: ServerResponse, caller: Caller, slug: string | undefined, mostWaiting: number) {
    this.#response = response
    this.caller = caller
    this.slug = slug
    this.#mostWaiting = mostWaiting
    this.#ahead = Math.min(AHEAD, mostWaiting / 2)
  }

  get isOver(): boolean {
    return this.ending !== undefined || isGone(this.#response) || this.#response.writableEnded
  }

  /** Writes events, or ends the stream when too many bytes wait. @param last the id of the last event */
  send(events: Buffer, last: string): void {
    if (this.#response.writableLength > this.#mostWaiting) this.end('slow')
    if (this.isOver) return
    this.#write(events)
    this.#lastId = last
  }

  /** Writes an event that is no commit. A stream that is behind, or slow, gets none: the next one says more. */
  notify(event: Buffer): void {
    if (!this.isOver && this.isLive && this.#response.writableLength <= this.#ahead) this.#write(event)
  }

  /** Writes the first lines: a comment, and the delay before a reconnect. */
  greet(): void {
    // At random: after a restart, all clients would reconnect at the same time.
    this.#write(Buffer.from(`: connected\nretry: ${1000 + Math.floor(Math.random() * 2000)}\n\n`))
  }

  /** Brings the client's last id up to `revision`, without an event. */
  moveTo(revision: string): void {
    if (this.isOver || this.#lastId === revision) return
    this.#lastId = revision
    this.#write(idText(revision))
  }

  /** After these milliseconds without a write, writes the newest id, or a comment if it has or may not see that. */
  keepAlive(milliseconds: number, newest: string | undefined): void {
    if (this.isOver || performance.now() - this.#wrote < milliseconds) return
    if (newest === undefined || newest === this.#lastId) this.#write(COMMENT)
    else this.moveTo(newest)
  }

  /** Resolves when the reader has read most of the waiting bytes, or is gone. */
  drained(): Promise<void> | undefined {
    const response = this.#response
    if (this.isOver || response.writableLength <= this.#ahead || !response.writableNeedDrain) return undefined
    return new Promise(resolve => {
      const done = () => resolve()
      response.once('drain', done)
      const forget = whenGone(response, done)
      response.once('drain', forget)
    })
  }

  /** Ends it after the waiting bytes, or at once to free memory or a share. Its client reconnects with its last id. */
  end(why: Ending): void {
    if (this.isOver) return
    this.ending = why
    if (why === 'slow' || why === 'share') this.#response.destroy()
    else this.#response.end()
  }

  /** Disconnects an ended stream with an unread rest. */
  breakOff(): void {
    if (this.ending !== undefined) this.#response.destroy()
  }

  #write(bytes: Buffer): void {
    this.#wrote = performance.now()
    this.#response.write(bytes)
  }
}
