/** A comment, with what its reader may do to it. */
import { Check, Pencil, RotateCcw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer, response } from '../../../api/answer.ts'
import { type Comment, deleteComment, patchComment } from '../../../api/late-client.ts'
import { mayManage, useMember } from '../../../api/session.ts'
import { languageName } from '../../../i18n/languages.ts'
import { announce } from '../../../ui/announce.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmButton } from '../../../ui/confirm.tsx'
import { Wrong } from '../../../ui/form.tsx'
import { useSubmission } from '../../../ui/use-submission.ts'
import { When } from '../../../ui/when.tsx'
import { useEditor } from '../../editor-context.ts'
import type { NamespacedKey } from '../../model/rows.ts'
import styles from '../contributions.module.css'
import { usePanelForm } from '../panel-form.tsx'
import { commentDrafts } from './comment-drafts.ts'
import { CommentForm } from './comment-form.tsx'

interface Props {
  of: NamespacedKey
  comment: Comment
  draftName: string
  onChanged: () => Promise<unknown>
}

/** Characters of a comment in the name of its buttons. */
const QUOTED = 40

export function CommentView({ of: { namespace, key }, comment, draftName, onChanged }: Props) {
  const { t, i18n } = useTranslation('comments')
  const { user, who } = useMember()
  const { slug } = useEditor()
  const form = usePanelForm<HTMLLIElement>(() => commentDrafts.read(draftName) !== undefined)
  const { pending, problem, send } = useSubmission()
  const { id, by, at, text, language, resolved = false } = comment
  const address = { slug, $namespace: namespace, key, id }
  const isOwn = by.id === user.id
  const quoted = [...text].length > QUOTED ? `${[...text].slice(0, QUOTED).join('')}…` : text
  const resolve = () =>
    send(async () => {
      await answer(patchComment({ ...address, commentChanges: { resolved: !resolved } }))
      await onChanged()
      return t(resolved ? 'reopened' : 'resolved')
    })
  return (
    <li ref={form.own} className={styles.contribution}>
      <p className={styles.by}>
        <bdi>{by.name}</bdi>
        <span className="quiet">
          <When date={at} />
          {language !== undefined && ` · ${languageName(language, i18n.language)}`}
        </span>
      </p>
      {form.isOpen ? (
        <CommentForm
          label={t('edit', { text: quoted })}
          field={t('yours')}
          doIt={t('common:save')}
          draftName={draftName}
          stored={text}
          onSend={async text => {
            await answer(patchComment({ ...address, commentChanges: { text } }))
            await onChanged()
            return t('changed')
          }}
          onClose={form.close}
          isEntered={form.isEntered}
        />
      ) : (
        <>
          <p className={styles.text} dir="auto">
            {text}
          </p>
          <Wrong problem={problem} />
          <div className={styles.actions}>
            <Button
              small
              look="quiet"
              icon={resolved ? <RotateCcw aria-hidden /> : <Check aria-hidden />}
              aria-label={t(resolved ? 'reopenOf' : 'resolveOf', { text: quoted })}
              isPending={pending}
              onPress={() => void resolve()}
            >
              {t(resolved ? 'reopen' : 'resolve')}
            </Button>
            {isOwn && (
              <Button
                small
                look="quiet"
                icon={<Pencil aria-hidden />}
                aria-label={t('edit', { text: quoted })}
                data-edit
                onPress={form.open}
              >
                {t('common:edit')}
              </Button>
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
