/** The note on the key in hand: what the developer meant, how long a text may be, where the code uses it. */
import { useTranslation } from 'react-i18next'
import { isAtLeast } from '../../../api/language-permit.ts'
import { useMember } from '../../../api/session.ts'
import { Loaded } from '../../../ui/state.tsx'
import { useEditor } from '../../editor-context.ts'
import { usePanelForm } from '../panel-form.tsx'
import { type PanelSubject, Section } from '../section.tsx'
import { noteDrafts } from './note-drafts.ts'
import { NoteForm } from './note-form.tsx'
import { NoteView } from './note-view.tsx'
import { useNotes } from './use-notes.ts'

/** The note, or its form. The form opens by itself where an unsaved note waits. */
export function NoteSection({ row: { namespace, key }, target }: PanelSubject) {
  const { t } = useTranslation('context')
  const { slug, columns, sourcePermit } = useEditor()
  const { user, who } = useMember()
  const read = useNotes(slug, namespace)
  const draftName = noteDrafts.nameOf([user.id, who.organization.id, slug, namespace, key])
  const form = usePanelForm<HTMLDivElement>(() => noteDrafts.read(draftName) !== undefined)
  return (
    <Section title={t('note')}>
      <div ref={form.own}>
        <Loaded read={read} lines={1}>
          {notes =>
            form.isOpen ? (
              <NoteForm
                at={{ slug, namespace, key, language: columns.targets[target]! }}
                draftName={draftName}
                notes={notes}
                isEntered={form.isEntered}
                onClose={form.close}
                onReopen={form.open}
              />
            ) : (
              <NoteView
                note={notes.byKey.get(key)}
                onEdit={isAtLeast(sourcePermit, 'translate') ? form.open : undefined}
              />
            )
          }
        </Loaded>
      </div>
    </Section>
  )
}
