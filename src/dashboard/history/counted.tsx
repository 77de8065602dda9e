/** How much changed, in words. */
import { useTranslation } from 'react-i18next'
import type { Counts } from '../api/client.ts'
import { Badge } from '../ui/badge.tsx'
import styles from './history.module.css'

/** Only what there is of added, updated and removed keys. */
export function Counted({ counts }: { counts: Counts | null }) {
  const { t } = useTranslation('history')
  if (counts === null) return null
  return (
    <span className={styles.counts}>
      {counts.added > 0 && (
        <Badge kind="good" mark="+">
          {t('countAdded', { count: counts.added })}
        </Badge>
      )}
      {counts.updated > 0 && (
        <Badge kind="info" mark="~">
          {t('countUpdated', { count: counts.updated })}
        </Badge>
      )}
      {counts.removed > 0 && (
        <Badge kind="bad" mark="−">
          {t('countRemoved', { count: counts.removed })}
        </Badge>
      )}
    </span>
  )
}
