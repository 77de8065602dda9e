/** The note on the key in hand: what the developer meant, how long a text may be, where the code uses it. */
import { useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MAX_MAX, MAX_NOTE, type Note } from '../../../bundle/note.ts'
import { threeWay } from '../../../bundle/three-way.ts'
import { isAtLeast } from '../../api/rights.ts'
import { useMember } from '../../api/session.ts'
import { useDiscardOther } from '../../drafts/typed-texts.tsx'
import { useDraftStore } from '../../drafts/use-drafts.tsx'
import { Button } from '../../ui/button.tsx'
import { Diff } from '../../ui/diff.tsx'
import { TextField, useSubmission } from '../../ui/form.tsx'
import { Badge, Notice } from '../../ui/notice.tsx'
import { Loaded } from '../../ui/page.tsx'
import { CopyButton } from '../../ui/snippet.tsx'
import { useEditor } from '../editor-context.ts'
import { useKeyTasks } from '../keys/key-tasks.ts'
import type { KeyAddress } from '../model/rows.ts'
import { editedOf, isSameNote, type NamespaceNotes, notesQuery, saveNote, useNotes } from './notes.ts'
import styles from './panel.module.css'
import { type EditedNote, type NoteDraft, noteDrafts, noteFaults } from './panel-drafts.ts'
import { IconButton, PanelForm, type PanelSubject, Section, usePanelForm } from './section.tsx'

/** The note, or its form. The form opens by itself where an unsaved note waits. */
export function NoteSection({ row: { namespace, key }, language }: PanelSubject) {
  const { t } = useTranslation('context')
  const { slug, sourcePermit } = useEditor()
  const { user, who } = useMember()
  const read = useNotes(slug, namespace)
  const draftName = noteDrafts.nameOf([user.id, who.organization.id, slug, namespace, key])
  const form = usePanelForm<HTMLDivElement>(() => noteDrafts.read(draftName) !== undefined)
  const mayEdit = isAtLeast(sourcePermit, 'translate')
  return (
    <Section title={t('note')}>
      <div ref={form.own}>
        <Loaded read={read} lines={1}>
          {notes =>
            form.isOpen ? (
              <NoteForm at={{ slug, namespace, key, language }} draftName={draftName} notes={notes} form={form} />
            ) : (
              <NoteView note={notes.byKey.get(key)} onEdit={mayEdit ? form.open : undefined} />
            )
          }
        </Loaded>
      </div>
    </Section>
  )
}

/** References to show at first. */
const FIRST_REFS = 3

/** Who wrote it, its limit, its tags and its places in the code, to copy. */
function NoteView({ note, onEdit }: { note: Note | undefined; onEdit: (() => void) | undefined }) {
  const { t } = useTranslation('context')
  const { note: text, max, tags = [], refs = [], from } = note ?? {}
  const facts = [
    text !== undefined && t(from === 'code' ? 'fromCode' : 'fromPerson'),
    max !== undefined && t('atMost', { count: max, max }),
  ].filter(Boolean)
  const list = (refs: readonly string[]) => (
    <ul className="stack1" aria-label={t('usedAt')}>
      {refs.map(ref => (
        <li key={ref} className={styles.apart}>
          <code dir="ltr">{ref}</code>
          <CopyButton text={ref} label={t('copyRef', { ref })} />
        </li>
      ))}
    </ul>
  )
  return (
    <div className="stack1">
      <p className={text === undefined ? 'quiet' : styles.words} dir={text === undefined ? undefined : 'auto'}>
        {text ?? t('noNote')}
      </p>
      {facts.length > 0 && <p className="quiet">{facts.join(' · ')}</p>}
      {tags.length > 0 && (
        <ul className="row1" aria-label={t('tags')}>
          {tags.map(tag => (
            <li key={tag}>
              <Badge>{tag}</Badge>
            </li>
          ))}
        </ul>
      )}
      {refs.length > 0 && list(refs.slice(0, FIRST_REFS))}
      {refs.length > FIRST_REFS && (
        <details>
          <summary>{t('moreRefs', { count: refs.length - FIRST_REFS })}</summary>
          {list(refs.slice(FIRST_REFS))}
        </details>
      )}
      {onEdit && (
        <div>
          <IconButton icon={Pencil} data-edit onPress={onEdit}>
            {t(note === undefined ? 'addNote' : 'editNote')}
          </IconButton>
        </div>
      )}
    </div>
  )
}

interface FormProps {
  at: KeyAddress
  draftName: string
  notes: NamespaceNotes
  form: { isEntered: boolean; open: () => void; close: () => void }
}

/** Typed words are stored until they are saved or discarded. The reader decides on another user's change. */
function NoteForm({ at, draftName, notes, form }: FormProps) {
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
  const write = (changed: Partial<NoteDraft>) => {
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
      const read = () => queries.fetchQuery({ ...notesQuery(at.slug, at.namespace), staleTime: 0 })
      const isSaved = await saveNote(at, sent, notes, read)
      // Shows the note as it is now, or the change of another user.
      await read()
      if (!isSaved) return t('noteConflict')
      if (!isSameNote(newest.current, sent)) write({ before: { note: sent.note, max: sent.max } })
      else {
        store(undefined)
        form.close()
      }
      return t('noteSaved')
    })
  const discard = () => {
    const dropped = newest.current
    const drop = () => store(undefined)
    form.close()
    if (isSameNote(dropped, dropped.before)) return drop()
    discardTyped(drop, () => {
      store(dropped)
      form.open()
    })
  }
  return (
    <PanelForm
      label={t('editNote')}
      doIt={t('common:save')}
      problem={problem}
      isPending={pending}
      isDisabled={isConflict}
      onSubmit={() => void save()}
      onCancel={discard}
    >
      <TextField
        label={t('noteText')}
        lines={4}
        autoFocus={form.isEntered}
        value={draft.note}
        onChange={note => write({ note })}
        error={faults.note}
        hint={stored?.from === 'code' ? t('codeHint') : undefined}
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
            <span className="row1">
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
