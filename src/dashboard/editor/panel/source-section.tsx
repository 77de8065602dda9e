/** The change of the source since its translation. The grid shows the source itself. */
import { changedTexts } from '../../../bundle/message.ts'
import { Diff } from '../../ui/diff.tsx'
import { useEditor } from '../editor-context.ts'
import styles from './panel.module.css'
import { FormName, type PanelSubject, Section } from './section.tsx'

export function SourceSection({ row, target }: PanelSubject) {
  const { columns, t } = useEditor()
  const then = row.cells[target]?.sourceThen
  if (then === undefined) return null
  const changes = changedTexts(then, row.source)
  return (
    <Section title={t('sourceChanged')}>
      {changes.map(({ ending, before, after }) => (
        <p key={ending} className={styles.change}>
          {changes.length > 1 && <FormName ending={ending} />}
          <Diff before={before ?? ''} after={after ?? ''} language={columns.source} />
        </p>
      ))}
    </Section>
  )
}
