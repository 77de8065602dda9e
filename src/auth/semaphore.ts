/** Runs a few acts at a time, urgent ones first. */
import { busy } from '../bundle/errors.ts'

/** Revoking a token and signing in go before signing up. */
type SemaphorePriority = 'first' | 'last'

export class Semaphore {
  #free: number
  readonly #waiting: Record<SemaphorePriority, Set<() => void>> = { first: new Set(), last: new Set() }

  /** @param atOnce how many there are */
  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** How many of a rank wait. */
  waiting(rank: SemaphorePriority): number {
    return this.#waiting[rank].size
  }

  /**
   * Resolves with a slot, held until {@link release}. @param patience milliseconds; forever by default
   * @throws Failure `unavailable` when none is free by then
   */
  acquire(rank: SemaphorePriority = 'last', patience?: number): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting[rank].add(resolve)
      if (patience === undefined) return
      AbortSignal.timeout(patience).addEventListener('abort', () => {
        if (waiting.delete(resolve)) reject(noTurn())
      })
    })
  }

  release(): void {
    for (const waiting of Object.values(this.#waiting)) {
      for (const next of waiting) {
        waiting.delete(next)
        next()
        return
      }
    }
    this.#free++
  }

  /** Runs an act with a slot. @throws Failure as {@link acquire} does */
  async run<T>(act: () => T | Promise<T>, rank?: SemaphorePriority, patience?: number): Promise<T> {
    await this.acquire(rank, patience)
    try {
      return await act()
    } finally {
      this.release()
    }
  }
}

/** For who waited too long for a turn. */
export const noTurn = () => busy('Too many accounts are being changed just now; try again in a moment.')
