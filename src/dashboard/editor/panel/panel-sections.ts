/** The sections of the panel, in their order: a new section is one file and one row here. */
import type { ComponentType } from 'react'
import { CommentsSection } from './comments/comments-section.tsx'
import { HistorySection } from './key-history-section.tsx'
import { MachineSection } from './machine/machine-section.tsx'
import { MemorySection } from './memory/memory-section.tsx'
import { NoteSection } from './note/note-section.tsx'
import type { PanelSubject } from './panel-subject.ts'
import { PreviewSection } from './preview-section.tsx'
import { SameTextSection } from './same-text-section.tsx'
import { SourceSection } from './source-section.tsx'
import { SuggestionsSection } from './suggestions/suggestions-section.tsx'
import { TermsSection } from './terms-section.tsx'
import { UsesSection } from './uses-section.tsx'

/** A section renders a `Section`, or nothing where it has nothing to show. The last ones load: none moves. */
export const PANEL_SECTIONS: readonly { id: string; Part: ComponentType<PanelSubject> }[] = [
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
