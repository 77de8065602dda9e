/** Entries of the audit trail. */
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '../api/client.ts'
import table from '../ui/table.module.css'
import { When } from '../ui/when.tsx'
import { sentenceOf } from './audit-words.ts'
import styles from './team.module.css'
import { useLanguageWords } from './use-language-words.ts'

/** Each in words, with who and when. */
export function AuditEntries({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useTranslation('team')
  const { wordsOf } = useLanguageWords()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard (WCAG 2.1.1)
    <div className={table.frame} tabIndex={0} role="region" aria-label={t('audit')}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('happened')}</th>
            <th scope="col">{t('by')}</th>
            <th scope="col">{t('from')}</th>
            <th scope="col">{t('when')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(entry => (
            <tr key={entry.id}>
              <th scope="row">
                <span className={styles.person}>{sentenceOf(entry, t, wordsOf)}</span>
              </th>
              <td>{entry.who?.email ?? (entry.by === 'operator' ? t('operator') : t('nobody'))}</td>
              <td>{entry.address !== null && <code>{entry.address}</code>}</td>
              <td>
                <When date={entry.time} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
