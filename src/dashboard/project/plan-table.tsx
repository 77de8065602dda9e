/** What a push of many would do. */
import { useTranslation } from 'react-i18next'
import type { ManyPushed } from '../api/client.ts'
import table from '../ui/table.module.css'
import { PARTS, PlannedBundle } from './planned-bundle.tsx'
import styles from './project.module.css'

/** Counts for each bundle, and its keys when opened. */
export function PlanTable({ plan }: { plan: ManyPushed }) {
  const { t } = useTranslation('projects')
  return (
    <div className={`${table.frame} ${styles.plan}`}>
      <table className={table.table} aria-label={t('plan')}>
        <thead>
          <tr>
            <th scope="col">{t('bundle')}</th>
            {PARTS.map(part => (
              <th key={part} scope="col" className={table.number}>
                {t(`planned.${part}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plan.bundles.map(bundle => (
            <PlannedBundle key={`${bundle.language}/${bundle.namespace}`} bundle={bundle} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
