/**
 * The one connection to SQLite is used by one at a time. A transaction of better-auth's lasts over several awaits, and whatever else is
 * written on the connection meanwhile would belong to it, and be lost with it: a revoked token included.
 */
import { Failure } from '../bundle/errors.ts'

/** Every turn is a few statements; who waits for longer than this waits for something broken. */
const LONGEST_MS = 10_000

/** Whom a turn goes to next: a token is revoked before anybody signs up. */
type Rank = 'first' | 'last'

/** See the top of the file. */
export class Turns {
  #taken = false
  readonly #waiting: Record<Rank, Set<() => void>> = { first: new Set(), last: new Set() }

  /** Resolves when it is one's turn, which lasts until {@link release}. */
  take(rank: Rank = 'last'): Promise<void> {
    if (this.#taken) return new Promise(resolve => this.#waiting[rank].add(resolve))
    this.#taken = true
    return Promise.resolve()
  }

  release(): void {
    for (const waiting of Object.values(this.#waiting)) {
      for (const next of waiting) {
        waiting.delete(next)
        next()
        return
      }
    }
    this.#taken = false
  }

  /**
   * Runs a write of our own, which must be synchronous, before all that wait: it is on the disk when it resolves.
   * @throws Failure `unavailable` when its turn does not come
   */
  async run<T>(write: () => T): Promise<T> {
    await this.#soon()
    try {
      return write()
    } finally {
      this.release()
    }
  }

  /** Resolves when everything that had the turn before, or waited for it, is over. */
  async settled(): Promise<void> {
    await this.take()
    this.release()
  }

  #soon(): Promise<void> {
    if (!this.#taken) return this.take()
    return new Promise((resolve, reject) => {
      this.#waiting.first.add(resolve)
      AbortSignal.timeout(LONGEST_MS).addEventListener('abort', () => {
        if (this.#waiting.first.delete(resolve)) reject(busy())
      })
    })
  }
}

function busy(): Failure {
  return new Failure('unavailable', 'Too many accounts are being changed just now; try again in a moment.', {
    retryAfter: 1,
  })
}
