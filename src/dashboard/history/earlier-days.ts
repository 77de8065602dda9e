/** Days that a comparison can start with. */
import type { SelectChoice } from '../ui/select-list.tsx'

const AGO = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
] as const

/** A date in UTC, as the API reads it. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** A day, a week and a month ago. @param locale BCP 47, of the labels */
export function earlierDays(locale: string): SelectChoice[] {
  const relative = new Intl.RelativeTimeFormat(locale)
  return AGO.map(([unit, days]) => {
    const date = daysAgo(days)
    return { id: date, label: relative.format(-1, unit), note: date }
  })
}
