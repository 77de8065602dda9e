/** The note on the key in hand: what the developer meant, how long a text may be, where the code uses it. */
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isAtLeast } from '../../../api/language-permit.ts'
import { useMember } from '../../../api/session.ts'
import { Loaded } from '../../../ui/state.tsx'
import { useEditor } from '../../editor-context.ts'
import type { PanelSubject } from '../panel-subject.ts'
import { Section } from '../section.tsx'
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
  const [isEditing, setIsEditing] = useState(() => noteDrafts.read(draftName) !== undefined)
  /** Whether a press opened or closed the form, which moves the focus. */
  const isPressed = useRef(false)
  const edit = (on: boolean) => {
    isPressed.current = true
    setIsEditing(on)
  }
  return (
    <Section title={t('note')}>
      <Loaded read={read} lines={1}>
        {notes => {
          const note = notes.byKey.get(key)
          if (!isEditing)
            return (
              <NoteView
                note={note}
                isEntered={isPressed.current}
                onEdit={isAtLeast(sourcePermit, 'translate') ? () => edit(true) : undefined}
              />
            )
          return (
            <NoteForm
              at={{ slug, namespace, key, language: columns.targets[target]! }}
              draftName={draftName}
              notes={notes}
              isEntered={isPressed.current}
              onClose={() => edit(false)}
              onReopen={() => setIsEditing(true)}
            />
          )
        }}
      </Loaded>
    </Section>
  )
}
