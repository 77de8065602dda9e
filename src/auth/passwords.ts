/** Hashing of passwords: a few at a time, so that the thread pool has room for all else, and whoever signs in goes before whoever signs up. */
import { availableParallelism } from 'node:os'
import { Refusal } from './refusal.ts'

/** libuv's pool has four threads, which sign cookies, read files and look up names too. Each hash takes 16 MiB. */
const AT_ONCE = Math.min(3, availableParallelism())
/** About half a minute's worth. */
const MOST_WAITING = 1000

/** Why a password is hashed. */
export type Reason = 'sign-in' | 'sign-up'

/** See the top of the file. */
export class Passwords {
  #running = 0
  readonly #waiting: Record<Reason, (() => void)[]> = { 'sign-in': [], 'sign-up': [] }

  /**
   * Runs a hash in its turn.
   * @throws Refusal 503 when too many wait
   */
  async hashing<T>(reason: Reason, hash: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting[reason]
    if (waiting.length >= MOST_WAITING) {
      const words = 'Too many people sign in or up just now; try again in a moment.'
      throw new Refusal(503, 'BUSY', words, { 'retry-after': '5' })
    }
    if (this.#running < AT_ONCE) this.#running++
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await hash()
    } finally {
      const next = this.#waiting['sign-in'].shift() ?? this.#waiting['sign-up'].shift()
      if (next) next()
      else this.#running--
    }
  }
}
