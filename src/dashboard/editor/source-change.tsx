/** The change of the source since its translation. */
import { useTranslation } from 'react-i18next'
import { changedTexts } from '../../bundle/message.ts'
import { Diff } from '../ui/diff.tsx'
import styles from './cell.module.css'
import { useEditor } from './editor-context.ts'
import { leafAt } from './model/leaves.ts'
import type { EditorRow } from './model/rows.ts'
import { formName } from './shown-text.tsx'

/** A word diff for each target that is stale; where they are of the same source once. */
export function SourceChange({ row }: { row: EditorRow }) {
  const { t } = useTranslation('editor')
  const { columns } = useEditor()
  const seen = new Set<string>()
  return row.cells.map(({ sourceThen }, at) => {
    const said = JSON.stringify(sourceThen)
    if (sourceThen === undefined || seen.has(said)) return null
    seen.add(said)
    const changes = changedTexts(sourceThen, row.source)
    return (
      <section key={columns.targets[at]} className={styles.change} aria-label={t('sourceChanged')}>
        <h2>{t('sourceChanged')}</h2>
        {changes.map(({ ending, before, after }) => (
          <p key={ending}>
            {changes.length > 1 && <span className={styles.form}>{formName(leafAt(ending), t)}</span>}
            <Diff before={before ?? ''} after={after ?? ''} language={columns.source} />
          </p>
        ))}
      </section>
    )
  })
}
