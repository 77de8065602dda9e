/** How much of a bundle, or of several, is translated. */
import { useTranslation } from 'react-i18next'
import type { LanguageStatus, NamespaceStatus } from '../api/client.ts'
import { Badge } from '../ui/badge.tsx'
import { Meter } from '../ui/meter.tsx'
import styles from './project.module.css'

interface CellProps {
  counts: LanguageStatus | NamespaceStatus
  label: string
  to: string
  source: boolean
  wide?: boolean
}

/** Numbers, a bar, and a link for each kind of text that needs work. */
export function MatrixCell({ counts, label, to, source, wide }: CellProps) {
  const { t } = useTranslation('projects')
  const wants = [
    { is: 'empty', count: counts.empty, kind: 'bad', mark: '◌' },
    { is: 'incomplete', count: counts.incomplete, kind: 'warn', mark: '◐' },
    { is: 'stale', count: counts.stale, kind: 'warn', mark: '↻' },
    { is: 'problems', count: counts.problems, kind: 'bad', mark: '!' },
    { is: 'extra', count: counts.extra, kind: undefined, mark: '+' },
  ] as const
  const open = counts.missing + counts.empty + counts.incomplete
  return (
    <div className={styles.cell}>
      <span className={styles.numbers}>
        <a className={styles.number} href={`#${to}${open > 0 && !source ? '?is=missing,empty,incomplete' : ''}`}>
          <span className="hidden">{label}: </span>
          {source ? t('keys', { count: counts.keys }) : `${counts.translated} / ${counts.keys}`}
        </a>
        {counts.missing > 0 && !source && (
          <a className={`${styles.number} quiet`} href={`#${to}?is=missing`}>
            {t('wants.missing', { count: counts.missing })}
          </a>
        )}
      </span>
      {!source && <Meter of={counts} decorates />}
      <span className={wide ? styles.wants : styles.wantsNarrow}>
        {wants.map(
          ({ is, count, kind, mark }) =>
            count > 0 && (
              <a key={is} className={styles.want} href={`#${to}?is=${is}`}>
                <Badge {...(kind && { kind })} mark={mark}>
                  {t(`wants.${is}`, { count })}
                </Badge>
              </a>
            ),
        )}
      </span>
    </div>
  )
}
