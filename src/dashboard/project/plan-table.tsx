/** What a push of many would do. */
import { useTranslation } from 'react-i18next'
import type { ManyPushed } from '../api/client.ts'
import { Badge } from '../ui/badge.tsx'
import table from '../ui/table.module.css'
import styles from './project.module.css'

/** Most keys that are listed for one bundle; the rest is a number. */
const MOST_LISTED = 200
const KINDS = { added: 'good', updated: 'info', removed: 'bad', skipped: 'warn' } as const
const MARKS = { added: '+', updated: '~', removed: '−', skipped: '·' } as const

/** Counts for each bundle, and its keys when opened. */
export function PlanTable({ plan }: { plan: ManyPushed }) {
  const { t } = useTranslation('projects')
  return (
    <div className={`${table.frame} ${styles.plan}`}>
      <table className={table.table} aria-label={t('plan')}>
        <thead>
          <tr>
            <th scope="col">{t('bundle')}</th>
            {(['added', 'updated', 'removed', 'skipped', 'unchanged'] as const).map(part => (
              <th key={part} scope="col" className={table.number}>
                {t(`planned.${part}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plan.bundles.map(({ language, namespace, details = [], ...counts }) => (
            <tr key={`${language}/${namespace}`}>
              <th scope="row">
                <details>
                  <summary>
                    <code>
                      {language}/{namespace}
                    </code>
                  </summary>
                  <ul className={styles.form}>
                    {details.slice(0, MOST_LISTED).map(({ key, result, reason }) => (
                      <li key={key}>
                        <Badge kind={KINDS[result]} mark={MARKS[result]}>
                          {t(`planned.${result}`)}
                        </Badge>{' '}
                        <code>{key}</code> {reason !== undefined && <span className={styles.quiet}>{reason}</span>}
                      </li>
                    ))}
                    {details.length > MOST_LISTED && <li>{t('more', { count: details.length - MOST_LISTED })}</li>}
                  </ul>
                </details>
              </th>
              <td className={table.number}>{counts.added}</td>
              <td className={table.number}>{counts.updated}</td>
              <td className={table.number}>{counts.removed ?? 0}</td>
              <td className={table.number}>{counts.skipped}</td>
              <td className={table.number}>{counts.unchanged}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
