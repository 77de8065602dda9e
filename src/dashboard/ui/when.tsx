/** A moment, for people. */
import { useTranslation } from 'react-i18next'

const STEPS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** How long ago in the largest whole unit; the exact time is its title. @param date ISO 8601 */
export function When({ date }: { date: string }) {
  const { t, i18n } = useTranslation()
  const seconds = (Date.parse(date) - Date.now()) / 1000
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length)
  const relative = step
    ? new Intl.RelativeTimeFormat(i18n.language, { numeric: 'auto' }).format(Math.trunc(seconds / step[1]), step[0])
    : t('justNow')
  return (
    <time
      dateTime={date}
      title={new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full', timeStyle: 'medium' }).format(new Date(date))}
    >
      {relative}
    </time>
  )
}
