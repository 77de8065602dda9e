/** Separates growth from noise in a row of measurements: their relative rise from beginning to end. */

/** The middle one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * The rise over the whole row as a share of its median: 0.5 is half more at the end. It is the median of the slopes
 * between all pairs (Theil and Sen). Up to 29 of 100 outliers barely move it. So a spike at the end does not look like
 * growth, and a spike at the beginning does not hide it.
 */
export function growth(values: readonly number[]): number {
  const slopes = values.flatMap((from, at) => values.slice(at + 1).map((to, more) => (to - from) / (more + 1)))
  return slopes.length === 0 ? 0 : (median(slopes) * (values.length - 1)) / median(values)
}
