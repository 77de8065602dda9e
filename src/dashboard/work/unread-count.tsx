/** The number of unread items, in the header. */
import { useTranslation } from 'react-i18next'
import { Badge } from '../ui/badge.tsx'
import { useInbox } from './inbox-reads.ts'

/** Nothing while there is no unread item. */
export default function UnreadCount() {
  const { t, i18n } = useTranslation('work')
  const { data } = useInbox()
  const [first] = data?.pages ?? []
  if (first === undefined || first.unread === 0) return null
  const count = new Intl.NumberFormat(i18n.language).format(first.unread)
  return (
    <>
      <b aria-hidden>
        <Badge kind="info">{count}</Badge>
      </b>
      <span className="hidden">{t('unread', { count: first.unread })}</span>
    </>
  )
}
