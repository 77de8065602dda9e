/** The text as apps render it, where that differs from the text. */
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { placedIn } from '../../../bundle/placeholders.ts'
import { useAllRows, useEditor } from '../editor-context.ts'
import { isHeavy } from '../model/heavy.ts'
import { leafAt, leavesFor, modelText, textsOf, withTexts } from '../model/leaves.ts'
import { rulesFor } from '../model/rows.ts'
import { textsIn, useOwnDrafts } from '../saving/unsaved-texts.ts'
import { type PanelSubject, Section } from './section.tsx'
import { TextPreview } from './text-preview.tsx'

/** Includes the typed text; nothing for a text without placeholders and tags. */
export function PreviewSection({ row, target, ending }: PanelSubject) {
  const { t } = useTranslation('editor')
  const { columns, slug } = useEditor()
  const { lookup } = useAllRows()
  const { interpolation } = columns
  const language = columns.targets[target]!
  const drafts = useOwnDrafts(slug, row, language)
  const { message: stored } = row.cells[target]!
  const message = drafts.length > 0 ? withTexts(stored, textsIn(drafts)) : stored
  const text = useDeferredValue(textsOf(message)[ending] ?? '')
  const model = modelText(row.source, leafAt(ending))
  const shown = text || model
  if (isHeavy(shown, interpolation) || placedIn(shown, interpolation).length === 0) return null
  const leaves = leavesFor(row.source, message, rulesFor(columns, language))
  return (
    <Section title={t('preview')}>
      <TextPreview
        key={ending}
        typed={{ language, namespace: row.namespace, key: row.key, ending, text }}
        sourceLanguage={columns.source}
        interpolation={interpolation}
        model={model}
        lookup={lookup}
        hasZero={leaves.some(({ ending }) => ending === '_zero')}
      />
    </Section>
  )
}
