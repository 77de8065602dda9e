/** One client's stream of events: what is written to it, and when it ends. */
import type { ServerResponse } from 'node:http'
import type { Caller } from '../../auth/access.ts'
import { isGone, whenGone } from '../bounds/when-gone.ts'
import { idText } from './change-event.ts'

/** Why the server ends a stream. */
export type Ending = 'access' | 'slow' | 'closing' | 'gone' | 'failed' | 'share'

/** Bytes that a stream of past events lets wait before it waits itself. */
const AHEAD = 64 * 1024
const COMMENT = Buffer.from(':\n\n')

export class EventStream {
  readonly caller: Caller
  /** The project whose events these are; undefined for all of the organization's. */
  readonly slug: string | undefined
  /** Why it was ended, if the server did. */
  ending: Ending | undefined
  readonly #response: ServerResponse
  readonly #mostWaiting: number
  readonly #ahead: number
  /** The last id that it was sent. */
  #told = ''
  /** When something was last written (`performance.now()`). */
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

  /** Writes events; ends the stream instead when too much waits already. @param last the id of the last of them */
  send(events: Buffer, last: string): void {
    if (this.#response.writableLength > this.#mostWaiting) this.end('slow')
    if (this.isOver) return
    this.#write(events)
    this.#told = last
  }

  /** Writes the first lines: that it is there, and when to come back after an end. */
  greet(): void {
    // Not all at once: a server that starts again would have them all together.
    this.#write(Buffer.from(`: connected\nretry: ${1000 + Math.floor(Math.random() * 2000)}\n\n`))
  }

  /** Brings the client's last id up to `revision`, without an event. */
  moveTo(revision: string): void {
    if (this.isOver || this.#told === revision) return
    this.#told = revision
    this.#write(idText(revision))
  }

  /** If nothing was written for so many milliseconds, writes the newest id, or a comment to who has it or may not. */
  keepAlive(milliseconds: number, newest: string | undefined): void {
    if (this.isOver || performance.now() - this.#wrote < milliseconds) return
    if (newest === undefined || newest === this.#told) this.#write(COMMENT)
    else this.moveTo(newest)
  }

  /** Resolves when the reader has taken most of what waits, or is gone. */
  taken(): Promise<void> | undefined {
    const response = this.#response
    if (this.isOver || response.writableLength <= this.#ahead || !response.writableNeedDrain) return undefined
    return new Promise(resolve => {
      const done = () => resolve()
      response.once('drain', done)
      const forget = whenGone(response, done)
      response.once('drain', forget)
    })
  }

  /** Ends it after what waits, a slow one and one that makes room at once: its client asks again by its last id. */
  end(why: Ending): void {
    if (this.isOver) return
    this.ending = why
    if (why === 'slow' || why === 'share') this.#response.destroy()
    else this.#response.end()
  }

  /** Breaks it off if it was ended, and its reader has not taken the rest. */
  breakOff(): void {
    if (this.ending !== undefined) this.#response.destroy()
  }

  #write(bytes: Buffer): void {
    this.#wrote = performance.now()
    this.#response.write(bytes)
  }
}
