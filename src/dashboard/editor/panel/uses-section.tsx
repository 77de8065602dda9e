/** The other texts that nest this key. */
import { useTranslation } from 'react-i18next'
import { useAllRows } from '../editor-context.ts'
import { KeyLinks } from './key-links.tsx'
import { type PanelSubject, Section } from './section.tsx'

/** Links to their rows; nothing where no text nests it. */
export function UsesSection({ row, target }: PanelSubject) {
  const { t } = useTranslation('editor')
  const by = useAllRows().uses(row)
  if (by.length === 0) return null
  return (
    <Section title={t('uses')}>
      <KeyLinks rows={by} target={target} />
    </Section>
  )
}
