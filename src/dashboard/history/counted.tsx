/** How much changed, in words. */
import { useTranslation } from 'react-i18next'
import type { Counts } from '../api/client.ts'
import { Badge } from '../ui/badge.tsx'
import { CHANGES } from '../ui/changes.tsx'
import styles from './history.module.css'

const WORDS = { added: 'countAdded', updated: 'countUpdated', removed: 'countRemoved' } as const

/** Only what there is of added, updated and removed keys. */
export function Counted({ counts }: { counts: Counts | null }) {
  const { t } = useTranslation('history')
  if (counts === null) return null
  return (
    <span className={styles.counts}>
      {(['added', 'updated', 'removed'] as const).map(
        part =>
          counts[part] > 0 && (
            <Badge key={part} {...CHANGES[part]}>
              {t(WORDS[part], { count: counts[part] })}
            </Badge>
          ),
      )}
    </span>
  )
}
