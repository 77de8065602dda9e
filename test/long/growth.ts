/** Tells growth from noise in a row of measurements: by how much of their level they rise from their beginning to their end. */

/** The middle one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * The rise over the whole row, as a share of its median: 0.5 is half as much again at the end. By the median of the slopes
 * between all pairs (Theil and Sen): up to 29 of 100 values may be anything without moving it far, so that neither a spike at
 * the end looks like growth nor one at the beginning hides it.
 */
export function growth(values: readonly number[]): number {
  const slopes = values.flatMap((from, at) => values.slice(at + 1).map((to, more) => (to - from) / (more + 1)))
  return slopes.length === 0 ? 0 : (median(slopes) * (values.length - 1)) / median(values)
}
