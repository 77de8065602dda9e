/** The change of the source since its translation. The grid shows the source itself. */
import { useTranslation } from 'react-i18next'
import { changedTexts } from '../../../bundle/message.ts'
import { Diff } from '../../ui/diff.tsx'
import { useEditor } from '../editor-context.ts'
import { leafAt } from '../model/leaves.ts'
import { formName } from '../shown-text.tsx'
import styles from './panel.module.css'
import { type PanelSubject, Section } from './section.tsx'

/** A word diff where the translation is stale. */
export function SourceSection({ row, target }: PanelSubject) {
  const { t } = useTranslation('editor')
  const { columns } = useEditor()
  const then = row.cells[target]?.sourceThen
  if (then === undefined) return null
  const changes = changedTexts(then, row.source)
  return (
    <Section title={t('sourceChanged')}>
      {changes.map(({ ending, before, after }) => (
        <p key={ending} className={styles.change}>
          {changes.length > 1 && <span className={styles.form}>{formName(leafAt(ending), t)}</span>}
          <Diff before={before ?? ''} after={after ?? ''} language={columns.source} />
        </p>
      ))}
    </Section>
  )
}
