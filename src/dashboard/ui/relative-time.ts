/** How far away a moment is, for people. */

const UNITS = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
  ['week', 7 * 86_400],
  ['month', 30 * 86_400],
  ['year', 365 * 86_400],
] as const

/**
 * The nearest whole number of the largest fitting unit: 6 days and 23 hours are a week. Undefined below a minute.
 * @param seconds negative for the past
 */
export function relativeTime(seconds: number): { count: number; unit: Intl.RelativeTimeFormatUnit } | undefined {
  const away = Math.abs(seconds)
  const found = UNITS.findLast(([, length], at) => away >= length - (UNITS[at - 1]?.[1] ?? 1) / 2)
  return found && { count: Math.sign(seconds) * Math.round(away / found[1]), unit: found[0] }
}
