/** The comments on the key in hand, and a field for another one. */
import { useTranslation } from 'react-i18next'
import { answer } from '../../../api/answer.ts'
import { type Comment, postComment } from '../../../api/late-client.ts'
import { useMember } from '../../../api/session.ts'
import { Loaded } from '../../../ui/state.tsx'
import { useEditor } from '../../editor-context.ts'
import styles from '../contributions.module.css'
import { type PanelSubject, Section } from '../section.tsx'
import { commentDrafts } from './comment-drafts.ts'
import { CommentForm } from './comment-form.tsx'
import { CommentView } from './comment-view.tsx'
import { useComments } from './use-comments.ts'

/** Lines of a comment that is still to come. */
const LINES = 3

/** Open comments in their order; the resolved ones are folded. */
export function CommentsSection({ row: { namespace, key }, target }: PanelSubject) {
  const { t } = useTranslation('comments')
  const { slug, columns } = useEditor()
  const { user, who } = useMember()
  const { count, read, refresh } = useComments(slug, { namespace, key })
  const owner = [user.id, who.organization.id, slug, namespace, key]
  const language = columns.targets[target]!
  const list = (comments: readonly Comment[]) => (
    <ul className={styles.list}>
      {comments.map(comment => (
        <CommentView
          key={comment.id}
          of={{ namespace, key }}
          comment={comment}
          draftName={commentDrafts.nameOf([...owner, comment.id])}
          onChanged={refresh}
        />
      ))}
    </ul>
  )
  return (
    <Section title={t('title')}>
      <Loaded read={read} lines={Math.min(count, 2) * LINES}>
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
