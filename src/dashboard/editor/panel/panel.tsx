/** The content of the panel: what is known about the text in hand. */
import { X } from 'lucide-react'
import { type ComponentType, memo, Suspense, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { type EditorPosition, useEditor } from '../editor-context.ts'
import { leavesFor } from '../model/leaves.ts'
import { type EditorRow, rulesFor } from '../model/rows.ts'
import { CommentsSection } from './comments/comments-section.tsx'
import { HistorySection } from './key-history-section.tsx'
import { MachineSection } from './machine/machine-section.tsx'
import { MemorySection } from './memory/memory-section.tsx'
import { NoteSection } from './note/note-section.tsx'
import { useNotes } from './note/use-notes.ts'
import styles from './panel.module.css'
import { PreviewSection } from './preview-section.tsx'
import { SameTextSection } from './same-text-section.tsx'
import type { PanelSubject } from './section.tsx'
import { SourceSection } from './source-section.tsx'
import { SuggestionsSection } from './suggestions/suggestions-section.tsx'
import { TermsSection } from './terms-section.tsx'
import { UsesSection } from './uses-section.tsx'

/**
 * In their order: a new section is one file and one row here. It renders a `Section`, or nothing where it has nothing
 * to show. The last ones load: none moves.
 */
const SECTIONS: readonly { id: string; Part: ComponentType<PanelSubject> }[] = [
  { id: 'note', Part: NoteSection },
  { id: 'source', Part: SourceSection },
  { id: 'suggestions', Part: SuggestionsSection },
  { id: 'terms', Part: TermsSection },
  { id: 'preview', Part: PreviewSection },
  { id: 'same', Part: SameTextSection },
  { id: 'uses', Part: UsesSection },
  { id: 'comments', Part: CommentsSection },
  { id: 'history', Part: HistorySection },
  { id: 'machine', Part: MachineSection },
  { id: 'memory', Part: MemorySection },
]

interface Props {
  /** The row in hand, and the position in it. */
  row: EditorRow | undefined
  at: EditorPosition | undefined
  onClose: () => void
}

/** A moved position is rendered first, the panel after it. */
export default function Panel({ onClose, ...now }: Props) {
  const { t } = useTranslation('editor')
  const { columns } = useEditor()
  const row = useDeferredValue(now.row)
  const at = useDeferredValue(now.at)
  const close = <Button look="quiet" small icon={<X aria-hidden />} aria-label={t('common:close')} onPress={onClose} />
  if (row === undefined || at === undefined) {
    return (
      <header className={styles.header}>
        <p className="quiet">{t('panelEmpty')}</p>
        {close}
      </header>
    )
  }
  const target = typeof at.column === 'number' ? at.column : 0
  const language = columns.targets[target]!
  const leaves = leavesFor(row.source, row.cells[target]?.message, rulesFor(columns, language))
  const ending = at.ending ?? leaves[0]!.ending
  return (
    <>
      <header className={styles.header}>
        <p>
          <code>{row.key}</code> <span className="quiet">{row.namespace}</span>
        </p>
        {close}
      </header>
      <Suspense fallback={null}>
        <Sections row={row} target={target} ending={ending} />
      </Suspense>
    </>
  )
}

/**
 * All at once, when the notes of the namespace are read: a note that came later would move the rest. A save renders the
 * panel several times, and these only when their text is another one.
 */
const Sections = memo(function Sections(subject: PanelSubject) {
  const { isPending, failureCount } = useNotes(useEditor().slug, subject.row.namespace)
  if (isPending && failureCount === 0) return null
  return SECTIONS.map(({ id, Part }) => <Part key={`${id} ${subject.row.id}`} {...subject} />)
})
