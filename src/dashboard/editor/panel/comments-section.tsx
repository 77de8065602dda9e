/** The comments on the key in hand, and a field for another one. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, Pencil, RotateCcw } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MAX_COMMENT } from '../../../bundle/comment-limits.ts'
import { answer, response } from '../../api/answer.ts'
import {
  type Comment,
  deleteComment,
  getCommentCounts,
  getComments,
  patchComment,
  postComment,
} from '../../api/late-client.ts'
import { mayManage, useMember } from '../../api/session.ts'
import { languageName } from '../../i18n/languages.ts'
import { announce } from '../../ui/announce.ts'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { TextField, useSubmission, Wrong } from '../../ui/form.tsx'
import { Loaded } from '../../ui/page.tsx'
import { useEditor } from '../editor-context.ts'
import styles from './panel.module.css'
import { commentDrafts } from './panel-drafts.ts'
import { Byline, IconButton, PanelForm, type PanelSubject, Section, usePanelForm } from './section.tsx'

/** Lines of a comment that is still to come. */
const LINES = 3
/** Characters of a comment in the name of its buttons. */
const QUOTED = 40

/** Open comments in their order; the resolved ones are folded. */
export function CommentsSection({ row: { namespace, key }, language }: PanelSubject) {
  const { t } = useTranslation('comments')
  const { slug, columns } = useEditor()
  const { user, who } = useMember()
  const queries = useQueryClient()
  const owner = [user.id, who.organization.id, slug, namespace, key]
  // Live events outdate the counts of a namespace and the comments of a key, but own saves of texts do not.
  const queryKey = ['project', slug, 'comments', namespace]
  const counts = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const { keys } = await answer(getCommentCounts({ slug, $namespace: namespace }, { signal }))
      return new Map(Object.entries(keys))
    },
    structuralSharing: false,
  })
  const count = counts.data?.get(key)?.comments ?? 0
  const thread = useQuery({
    queryKey: [...queryKey, key],
    enabled: count > 0,
    queryFn: async ({ signal }) =>
      (await answer(getComments({ slug, $namespace: namespace, key }, { signal }))).comments,
  })
  const refresh = () => queries.invalidateQueries({ queryKey })
  const list = (comments: readonly Comment[]) => (
    <ul className="stack3">
      {comments.map(comment => (
        <CommentView
          key={comment.id}
          address={{ slug, $namespace: namespace, key, id: comment.id }}
          comment={comment}
          draftName={commentDrafts.nameOf([...owner, comment.id])}
          onChanged={refresh}
        />
      ))}
    </ul>
  )
  return (
    <Section title={t('title')}>
      <Loaded read={count > 0 ? thread : { ...counts, data: counts.data && [] }} lines={Math.min(count, 2) * LINES}>
        {comments => {
          const open = comments.filter(({ resolved }) => !resolved)
          const resolved = comments.filter(({ resolved }) => resolved)
          return (
            <>
              {resolved.length > 0 && (
                <details>
                  <summary>{t('resolvedCount', { count: resolved.length })}</summary>
                  {list(resolved)}
                </details>
              )}
              {open.length > 0 && list(open)}
            </>
          )
        }}
      </Loaded>
      <CommentForm
        label={t('new')}
        field={t('new')}
        hint={t('hint')}
        doIt={t('send')}
        draftName={commentDrafts.nameOf(owner)}
        stored=""
        onSend={async text => {
          const newComment = { text, ...(language !== columns.source && { language }) }
          const { mentions } = await answer(postComment({ slug, $namespace: namespace, key, newComment }))
          await refresh()
          return mentions.length > 0 ? t('sentMentions', { count: mentions.length }) : t('sent')
        }}
      />
    </Section>
  )
}

interface CommentProps {
  address: Parameters<typeof deleteComment>[0]
  comment: Comment
  draftName: string
  onChanged: () => Promise<unknown>
}

function CommentView({ address, comment, draftName, onChanged }: CommentProps) {
  const { t, i18n } = useTranslation('comments')
  const { user, who } = useMember()
  const form = usePanelForm<HTMLLIElement>(() => commentDrafts.read(draftName) !== undefined)
  const { pending, problem, send } = useSubmission()
  const { by, at, text, language, resolved = false } = comment
  const isOwn = by.id === user.id
  const quoted = [...text].length > QUOTED ? `${[...text].slice(0, QUOTED).join('')}…` : text
  const change = async (commentChanges: { text: string } | { resolved: boolean }, said: string) => {
    await answer(patchComment({ ...address, commentChanges }))
    await onChanged()
    return said
  }
  return (
    <li ref={form.own} className="stack1">
      <Byline by={by.name} at={at}>
        {language !== undefined && ` · ${languageName(language, i18n.language)}`}
      </Byline>
      {form.isOpen ? (
        <CommentForm
          label={t('edit', { text: quoted })}
          field={t('yours')}
          doIt={t('common:save')}
          draftName={draftName}
          stored={text}
          onSend={text => change({ text }, t('changed'))}
          form={form}
        />
      ) : (
        <>
          <p className={styles.words} dir="auto">
            {text}
          </p>
          <Wrong problem={problem} />
          <div className="row1">
            <IconButton
              icon={resolved ? RotateCcw : Check}
              aria-label={t(resolved ? 'reopenOf' : 'resolveOf', { text: quoted })}
              isPending={pending}
              onPress={() => void send(() => change({ resolved: !resolved }, t(resolved ? 'reopened' : 'resolved')))}
            >
              {t(resolved ? 'reopen' : 'resolve')}
            </IconButton>
            {isOwn && (
              <IconButton icon={Pencil} aria-label={t('edit', { text: quoted })} data-edit onPress={form.open}>
                {t('common:edit')}
              </IconButton>
            )}
            {(isOwn || mayManage(who)) && (
              <ConfirmButton
                small
                look="quiet"
                words={t('common:delete')}
                aria-label={t('deleteOf', { text: quoted })}
                title={t('deleteTitle')}
                onConfirm={async () => {
                  await response(deleteComment(address))
                  await onChanged()
                  announce(t('deleted'))
                }}
              >
                <p dir="auto">{quoted}</p>
              </ConfirmButton>
            )}
          </div>
        </>
      )}
    </li>
  )
}

interface CommentFormProps {
  label: string
  /** The label of its field. */
  field: string
  hint?: string
  /** The words of the button. */
  doIt: string
  draftName: string
  /** The stored text; '' for a new comment. */
  stored: string
  /** @returns what is announced */
  onSend: (text: string) => Promise<string>
  /** Of a form in the place of its comment. A cancelled one discards what is typed. */
  form?: { isEntered: boolean; close: () => void }
}

/** The form of a comment, new or changed. Typed words are stored until they are sent or discarded. */
function CommentForm({ label, field, hint, doIt, draftName, stored, onSend, form }: CommentFormProps) {
  const { t } = useTranslation('comments')
  const [text, setText] = useState(() => commentDrafts.read(draftName)?.text ?? stored)
  const newest = useRef(text)
  const write = (text: string) => {
    newest.current = text
    setText(text)
    commentDrafts.store(draftName, text === stored || text === '' ? undefined : { text })
  }
  const words = text.trim()
  const isLong = [...words].length > MAX_COMMENT
  const { pending, problem, faults, send } = useSubmission({
    faults: { text: words === '' ? t('empty') : isLong ? t('tooLong', { most: MAX_COMMENT }) : '' },
  })
  const submit = () =>
    send(async () => {
      const sent = newest.current
      const sentence = await onSend(sent)
      // Words that were typed meanwhile stay.
      if (newest.current === sent) write(form ? stored : '')
      form?.close()
      return sentence
    })
  const discard = () => {
    commentDrafts.store(draftName, undefined)
    form?.close()
  }
  return (
    <PanelForm
      label={label}
      doIt={doIt}
      problem={problem}
      isPending={pending}
      onSubmit={() => void submit()}
      onCancel={form && discard}
    >
      <TextField
        label={field}
        lines={2}
        hint={hint}
        value={text}
        onChange={write}
        error={faults.text}
        autoFocus={form?.isEntered}
      />
    </PanelForm>
  )
}
