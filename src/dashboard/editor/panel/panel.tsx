/** The content of the panel: what is known about the text in hand. */
import { X } from 'lucide-react'
import { type ComponentType, memo, Suspense, useDeferredValue } from 'react'
import { Button } from '../../ui/button.tsx'
import { type EditorPosition, useEditor } from '../editor-context.ts'
import { leavesFor } from '../model/leaves.ts'
import { type EditorRow, rulesFor } from '../model/rows.ts'
import { CommentsSection } from './comments-section.tsx'
import { HistorySection } from './history-section.tsx'
import { MachineSection } from './machine-section.tsx'
import { MemorySection } from './memory-section.tsx'
import { NoteSection } from './note-section.tsx'
import { useNotes } from './notes.ts'
import styles from './panel.module.css'
import { PreviewSection } from './preview-section.tsx'
import { SameTextSection } from './same-text-section.tsx'
import type { PanelSubject } from './section.tsx'
import { SourceSection } from './source-section.tsx'
import { SuggestionsSection } from './suggestions-section.tsx'
import { TermsSection } from './terms-section.tsx'
import { UsesSection } from './uses-section.tsx'

/**
 * In their order: a new section is one file and one row here. It renders a `Section`, or nothing where it has nothing
 * to show. The last ones load: none moves. The texts of a late one load later than the editor's.
 */
const SECTIONS: readonly { id: string; Part: ComponentType<PanelSubject>; isLate?: true }[] = [
  { id: 'note', Part: NoteSection },
  { id: 'source', Part: SourceSection },
  { id: 'suggestions', Part: SuggestionsSection },
  { id: 'terms', Part: TermsSection, isLate: true },
  { id: 'preview', Part: PreviewSection },
  { id: 'same', Part: SameTextSection },
  { id: 'uses', Part: UsesSection },
  { id: 'comments', Part: CommentsSection },
  { id: 'history', Part: HistorySection },
  { id: 'machine', Part: MachineSection, isLate: true },
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
  const { t } = useEditor()
  const row = useDeferredValue(now.row)
  const at = useDeferredValue(now.at)
  return (
    <>
      <header className={styles.header}>
        {row && at ? (
          <p>
            <code>{row.key}</code> <span className="quiet">{row.namespace}</span>
          </p>
        ) : (
          <p className="quiet">{t('panelEmpty')}</p>
        )}
        <Button look="quiet" small icon={<X aria-hidden />} aria-label={t('common:close')} onPress={onClose} />
      </header>
      {row && at && (
        <Suspense fallback={null}>
          <Sections row={row} target={typeof at.column === 'number' ? at.column : 0} ending={at.ending} />
        </Suspense>
      )}
    </>
  )
}

/**
 * All at once, when the notes of the namespace are read: a note that came later would move the rest. A save renders the
 * panel several times, and these only when their text is another one.
 * @param ending of the form in hand; the first one where it is absent
 */
const Sections = memo(function Sections({
  row,
  target,
  ...asked
}: Pick<PanelSubject, 'row' | 'target'> & { ending: string | undefined }) {
  const { slug, columns } = useEditor()
  const { isPending, failureCount } = useNotes(slug, row.namespace)
  if (isPending && failureCount === 0) return null
  const language = columns.targets[target]!
  const [first] = leavesFor(row.source, row.cells[target]?.message, rulesFor(columns, language))
  const subject = { row, target, language, ending: asked.ending ?? first!.ending }
  return SECTIONS.map(({ id, Part, isLate }) =>
    isLate ? (
      <Suspense key={`${id} ${row.id} ${target}`} fallback={null}>
        <Part {...subject} />
      </Suspense>
    ) : (
      <Part key={`${id} ${row.id}`} {...subject} />
    ),
  )
})
