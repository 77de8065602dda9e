/** Days that a comparison can start with. */
import type { SelectChoice } from '../ui/select-list.tsx'

const AGO = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
] as const

/** A day, a week and a month ago, as the dates that the API reads, in UTC. @param locale BCP 47, of the labels */
export function earlierDays(locale: string): SelectChoice[] {
  const relative = new Intl.RelativeTimeFormat(locale)
  return AGO.map(([unit, days]) => {
    const date = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
    return { id: date, label: relative.format(-1, unit), note: date }
  })
}
