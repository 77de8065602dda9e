/** The headings of the grid. */
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName } from '../i18n/languages.ts'
import { type Column, useEditor } from './editor-context.ts'
import styles from './grid.module.css'

/** One a column, with what its language is. */
export const Headings = memo(function Headings({ order }: { order: readonly Column[] }) {
  const { t, i18n } = useTranslation('editor')
  const { columns } = useEditor()
  return (
    <div role="rowgroup" className={styles.headings}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: headings are not moved to */}
      <div role="row" aria-rowindex={1} className={styles.row}>
        {order.map((column, index) => {
          const language = column === 'source' ? columns.source : columns.targets[column as number]
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: headings are not moved to
            <div key={column} role="columnheader" aria-colindex={index + 1} className={styles.cell}>
              {column === 'key' ? (
                t('common:key')
              ) : (
                <>
                  {languageName(language!, i18n.language)} <code>{language}</code>
                  {column === 'source' && <span className="quiet"> · {t('source')}</span>}
                </>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
})
