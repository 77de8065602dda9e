/** How long things took, counted in buckets: cheap enough to count every one of them. */

/** The upper limits of the buckets, in milliseconds; what took longer than the last is in one more. */
export const LIMITS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

/** See the top of the file. */
export class Durations {
  /** How many fell into each bucket of {@link LIMITS}, and last how many into none. */
  readonly counts: number[] = Array.from({ length: LIMITS.length + 1 }, () => 0)
  /** Of all of them, in milliseconds. */
  sum = 0

  /** Counts one. */
  add(milliseconds: number): void {
    let bucket = 0
    while (milliseconds > LIMITS[bucket]!) bucket++
    this.counts[bucket]!++
    this.sum += milliseconds
  }
}
