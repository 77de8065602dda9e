/** Languages x namespaces: the progress and the problems of each bundle. */
import { ArrowDownWideNarrow } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import type { Status } from '../api/client.ts'
import { useUnsavedCounts } from '../drafts/use-unsaved-counts.ts'
import { languageName } from '../i18n/languages.ts'
import button from '../ui/button.module.css'
import { projectAddress, setSearch } from '../ui/location.ts'
import bar from '../ui/meter.module.css'
import table from '../ui/table.module.css'
import { useGridKeys } from './grid-keys.ts'
import styles from './matrix.module.css'
import { axesOf, type MatrixPlace } from './matrix-axes.ts'
import { EXCEPTIONS, MatrixCell } from './matrix-cell.tsx'
import { MatrixHead, type PlaceAction } from './matrix-head.tsx'

interface Props {
  slug: string
  status: Status
  /** The languages that a machine may translate. */
  translatable: readonly string[]
  onAct: (action: PlaceAction, place: MatrixPlace) => void
}

/** Each cell leads to its texts in the editor. The order is part of the address. */
export function Matrix({ slug, status, translatable, onAct }: Props) {
  const { t, i18n } = useTranslation('projects')
  const byWork = new URLSearchParams(useSearch()).get('sort') === 'work'
  const { rows, columns, countsAt } = axesOf(status, byWork)
  const { sourceLanguage } = status
  const keys = useGridKeys()
  const { countIn } = useUnsavedCounts()
  const sumOf = (count: 'approved' | (typeof EXCEPTIONS)[number]['is']) =>
    status.languages.reduce((sum, row) => sum + (row.language === sourceLanguage ? 0 : row[count]), 0)
  const approved = sumOf('approved')
  const head = { slug, sourceLanguage, translatable, onAct }
  return (
    <>
      {status.languages.length > 1 && (
        <div className={styles.tools}>
          <p className={`quiet ${styles.sums}`}>
            {t('matrixSums')}
            {approved > 0 && (
              <span className={styles.exception}>
                <span className={`${bar.bar} ${bar.approved} ${styles.swatch}`} aria-hidden />{' '}
                {t('approvedCount', { count: approved })}
              </span>
            )}
            {EXCEPTIONS.map(({ is }) => {
              const count = sumOf(is)
              return count === 0 ? null : (
                <span key={is} className={styles.exception}>
                  <span aria-hidden data-sign={is} /> {t(`wants.${is}`, { count })}
                </span>
              )
            })}
          </p>
          <button
            type="button"
            className={`${button.button} ${button.small} ${styles.sort}`}
            aria-pressed={byWork}
            onClick={() => setSearch({ sort: byWork ? null : 'work' })}
          >
            <ArrowDownWideNarrow aria-hidden />
            {t('byWork')}
          </button>
        </div>
      )}
      <div className={`${table.frame} ${styles.matrix}`}>
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of links, with arrow keys (WAI-ARIA APG) */}
        <table {...keys} role="grid" aria-label={t('matrixOf')} className={table.table}>
          <thead>
            <tr>
              <th scope="col">{rows[0]?.language === undefined ? t('common:namespace') : t('common:language')}</th>
              {columns.map(place => (
                <MatrixHead key={idOf(place)} {...head} place={place} scope="col" />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={idOf(row)}>
                <MatrixHead {...head} place={row} scope="row" />
                {columns.map(column => {
                  const place = { ...row, ...column }
                  const counts = countsAt(place)
                  const { language = '', namespace } = place
                  const names = [languageName(language, i18n.language), ...(namespace === undefined ? [] : [namespace])]
                  return (
                    <td key={idOf(column)}>
                      {counts && (
                        <MatrixCell
                          counts={counts}
                          label={names.join(', ')}
                          to={projectAddress(slug, language, namespace)}
                          isSource={language === sourceLanguage}
                          unsaved={countIn({ project: slug, language, ...(namespace !== undefined && { namespace }) })}
                        />
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const idOf = ({ language = '', namespace = '' }: MatrixPlace) => `${language}/${namespace}`
