/** A moment, for people. */
import { useTranslation } from 'react-i18next'
import { nearest } from './relative-time.ts'

/** How long ago in the nearest whole unit; the exact time is its title. @param date ISO 8601 */
export function When({ date }: { date: string }) {
  const { t, i18n } = useTranslation()
  const away = nearest((Date.parse(date) - Date.now()) / 1000)
  return (
    <time
      dateTime={date}
      title={new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full', timeStyle: 'medium' }).format(new Date(date))}
    >
      {/* Always a number: what is rounded to a day away need not be tomorrow, nor a week away be next week. */}
      {away ? new Intl.RelativeTimeFormat(i18n.language).format(away.count, away.unit) : t('justNow')}
    </time>
  )
}
