/** Counts durations in buckets: cheap enough to count every one. */

/** Upper limits of the buckets, in milliseconds; one more bucket holds longer ones. */
export const LIMITS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

export class Durations {
  /** Counts per bucket of {@link LIMITS}; the last counts longer ones. */
  readonly counts: number[] = Array.from({ length: LIMITS.length + 1 }, () => 0)
  /** Of all durations, in milliseconds. */
  sum = 0

  add(milliseconds: number): void {
    let bucket = 0
    while (milliseconds > LIMITS[bucket]!) bucket++
    this.counts[bucket]!++
    this.sum += milliseconds
  }
}
