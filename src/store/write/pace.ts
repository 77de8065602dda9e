/** How many waiting writes make the next batch, by what computing a write and syncing a batch cost lately. */

/** A newer cost counts for so much of the average. */
const NEWEST = 0.1
/** By so much an estimate of the sync grows with each one that took longer. */
const DOUBT = 1.05

/**
 * While one batch is being synced, the next can be computed. That pays when computing lasts as long as the sync it hides; on a
 * slower disk it is better to wait for the sync, so that those whom it answers share the next one too.
 */
export class Pace {
  /** Milliseconds that computing one write takes, on average. */
  #compute = 0
  /** Milliseconds that a sync takes at best: a longer one may have waited for our own computing. */
  #sync = Number.POSITIVE_INFINITY
  #synced = 0

  /** Notes that a batch of so many writes was computed in so many milliseconds. */
  computed(writes: number, milliseconds: number): void {
    if (writes > 0) this.#compute += (milliseconds / writes - this.#compute) * NEWEST
  }

  /**
   * Notes that a batch is synced.
   * @param started when it was handed over, its turn having come or not; both times are `performance.now()`'s
   */
  synced(started: number, now: number): void {
    this.#sync = Math.min(now - Math.max(started, this.#synced), this.#sync * DOUBT)
    this.#synced = now
  }

  /**
   * How many of the waiting writes to compute now; 0 to wait for the end of the sync under way. With no sync under way and
   * enough writes to hide one, half of them go first and the two halves take turns from then on.
   */
  take(waiting: number, syncing: boolean): number {
    const half = Math.ceil(waiting / 2)
    if (syncing) return this.#hides(waiting) ? waiting : 0
    return this.#hides(half) ? half : waiting
  }

  #hides(writes: number): boolean {
    return writes * this.#compute >= this.#sync
  }
}
