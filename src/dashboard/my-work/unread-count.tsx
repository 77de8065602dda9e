/** The number of unread items, in the header. */
import { useTranslation } from 'react-i18next'
import { useInbox } from './inbox-reads.ts'
import styles from './unread-count.module.css'

/** Nothing while there is no unread item. */
export default function UnreadCount() {
  const { t, i18n } = useTranslation('work')
  const { data } = useInbox()
  const [first] = data?.pages ?? []
  if (first === undefined || first.unread === 0) return null
  const count = new Intl.NumberFormat(i18n.language).format(first.unread)
  return (
    <>
      <b aria-hidden className={styles.count}>
        {count}
      </b>
      <span className="hidden">{t('unread', { count: first.unread })}</span>
    </>
  )
}
