/** The other texts that nest this key. */
import { useAllRows, useEditor } from '../editor-context.ts'
import { KeyLinks, type PanelSubject, Section } from './section.tsx'

/** Links to their rows; nothing where no text nests it. */
export function UsesSection({ row, target }: PanelSubject) {
  const { t } = useEditor()
  const by = useAllRows().uses(row)
  if (by.length === 0) return null
  return (
    <Section title={t('uses')}>
      <KeyLinks rows={by} target={target} />
    </Section>
  )
}
