/** A moment, for people. */
import { useTranslation } from 'react-i18next'
import { relativeTime } from './relative-time.ts'

/**
 * How long ago, or ahead, in the nearest whole unit; the exact time is its title.
 * @param date ISO 8601 @param isAhead words for the future. A recent date may be ahead of this machine's clock
 */
export function When({ date, isAhead = false }: { date: string; isAhead?: boolean }) {
  const { t, i18n } = useTranslation()
  const away = relativeTime((Date.parse(date) - Date.now()) / 1000)
  return (
    <time
      dateTime={date}
      title={new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full', timeStyle: 'medium' }).format(new Date(date))}
    >
      {/* Always a number: a time rounded to one day need not be tomorrow. */}
      {away
        ? new Intl.RelativeTimeFormat(i18n.language).format(away.count, away.unit)
        : t(isAhead ? 'withinAMinute' : 'justNow')}
    </time>
  )
}
