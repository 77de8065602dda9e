/** The form of a note. Typed words are stored until they are saved or discarded. */
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MAX_MAX, MAX_NOTE } from '../../../../bundle/note.ts'
import { threeWay } from '../../../../bundle/three-way.ts'
import { useDiscardOther } from '../../../drafts/use-discard.ts'
import { useDraftStore } from '../../../drafts/use-drafts.tsx'
import { Button } from '../../../ui/button.tsx'
import { Diff } from '../../../ui/diff.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useSubmission } from '../../../ui/use-submission.ts'
import { useKeyTasks } from '../../keys/key-tasks.ts'
import type { KeyAddress } from '../../model/rows.ts'
import styles from '../contributions.module.css'
import { PanelForm } from '../panel-form.tsx'
import { type EditedNote, type NoteDraft, noteDrafts, noteFaults } from './note-drafts.ts'
import { editedOf, isSameNote, saveNote } from './save-note.ts'
import { type NamespaceNotes, readNotes } from './use-notes.ts'

interface Props {
  at: KeyAddress
  draftName: string
  notes: NamespaceNotes
  /** A press opened it. */
  isEntered: boolean
  onClose: () => void
  /** A discarded note is restored. */
  onReopen: () => void
}

/** Another user's change is shown, and the reader decides. */
export function NoteForm({ at, draftName, notes, isEntered, onClose, onReopen }: Props) {
  const { t, i18n } = useTranslation('context')
  const queries = useQueryClient()
  const { showDone } = useKeyTasks()
  const unsaved = useDraftStore()
  const discardTyped = useDiscardOther(showDone)
  const stored = notes.byKey.get(at.key)
  const theirs = editedOf(stored)
  const [typed, setTyped] = useState(() => noteDrafts.read(draftName))
  // Without typed words, another user's change is shown at once.
  const draft = typed && !isSameNote(typed, typed.before) ? typed : { ...theirs, before: theirs, language: at.language }
  const newest = useRef(draft)
  newest.current = draft
  const store = (draft: NoteDraft | undefined) => {
    noteDrafts.store(draftName, draft)
    // The header counts again. Other tabs hear of it from the browser.
    unsaved?.changed(draftName)
  }
  const write = (changed: Partial<typeof draft>) => {
    const next = { ...newest.current, ...changed }
    newest.current = next
    setTyped(next)
    store(isSameNote(next, next.before) ? undefined : next)
  }
  const found = noteFaults(draft)
  const { pending, problem, faults, send } = useSubmission({
    faults: {
      note: found.note ? t(found.note, { most: MAX_NOTE }) : '',
      max: found.max ? t(found.max, { most: MAX_MAX }) : '',
    },
  })
  const isConflict = threeWay<EditedNote>(draft.before, draft, theirs, isSameNote) === 'conflict'
  const save = () =>
    send(async () => {
      const sent = newest.current
      const read = () => readNotes(queries, at.slug, at.namespace)
      const isSaved = await saveNote(at, sent, notes, read)
      // Shows the note as it is now, or the change of another user.
      await read()
      if (!isSaved) return t('noteConflict')
      if (!isSameNote(newest.current, sent)) write({ before: { note: sent.note, max: sent.max } })
      else {
        store(undefined)
        onClose()
      }
      return t('noteSaved')
    })
  const discard = () => {
    const dropped = newest.current
    onClose()
    if (isSameNote(dropped, dropped.before)) return store(undefined)
    discardTyped(
      () => store(undefined),
      () => {
        store(dropped)
        onReopen()
      },
    )
  }
  return (
    <PanelForm
      label={t('editNote')}
      doIt={t('common:save')}
      problem={problem}
      isPending={pending}
      isDisabled={isConflict}
      isEntered={isEntered}
      onSubmit={() => void save()}
      onCancel={discard}
    >
      <TextField
        label={t('noteText')}
        lines={4}
        value={draft.note}
        onChange={note => write({ note })}
        error={faults.note}
        {...(stored?.from === 'code' && { hint: t('codeHint') })}
      />
      <TextField
        label={t('max')}
        hint={t('maxHint')}
        inputMode="numeric"
        value={draft.max}
        onChange={max => write({ max: max.trim() })}
        error={faults.max}
      />
      {isConflict && (
        <Notice
          kind="warn"
          action={
            <span className={styles.actions}>
              <Button small onPress={discard}>
                {t('editor:takeTheirs')}
              </Button>
              <Button small onPress={() => write({ before: theirs })}>
                {t('editor:keepMine')}
              </Button>
            </span>
          }
        >
          {t('noteConflict')} <Diff before={shown(draft.before)} after={shown(theirs)} language={i18n.language} />
        </Notice>
      )}
    </PanelForm>
  )
}

/** A note as one text, for the comparison. */
const shown = ({ note, max }: EditedNote) => [note, max].filter(Boolean).join('\n')
