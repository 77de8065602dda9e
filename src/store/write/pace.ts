/** The number of waiting writes in the next batch, by the recent costs of computing and syncing. */

/** Weight of the newest cost in the average. */
const NEWEST = 0.1
/** A sync estimate grows by this factor with each slower sync. */
const DOUBT = 1.05

/**
 * Computing the next batch during a sync pays when it lasts as long; on a slower disk waiting is better, since those
 * just answered then share the next sync.
 */
export class Pace {
  /** Average milliseconds to compute one write. */
  #compute = 0
  /** Milliseconds of the best sync: a longer one may have waited for our own computing. */
  #sync = Number.POSITIVE_INFINITY
  #synced = 0

  /** Notes the milliseconds that computing a number of writes needed. */
  computed(writes: number, milliseconds: number): void {
    if (writes > 0) this.#compute += (milliseconds / writes - this.#compute) * NEWEST
  }

  /** Notes that a batch is synced. @param started when it was handed over; both times are `performance.now()`'s */
  synced(started: number, now: number): void {
    this.#sync = Math.min(now - Math.max(started, this.#synced), this.#sync * DOUBT)
    this.#synced = now
  }

  /**
   * The number of waiting writes to compute now; 0 to wait for the sync under way. Without a sync, half of them go
   * first when they are enough to hide one. The halves then alternate.
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
