/** Other texts for a field with a typed one: another user's, or of the reader's other tabs. The reader chooses one. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import type { AddressedDraft, OtherDraft } from '../drafts/drafts.ts'
import { useDiscard, useDiscardOther } from '../drafts/use-discard.ts'
import { useDraftStore } from '../drafts/use-drafts.tsx'
import { Button } from '../ui/button.tsx'
import { Diff } from '../ui/diff.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './cell.module.css'
import { useEditor } from './editor-context.ts'
import { useKeyTasks } from './keys/key-tasks.ts'

interface Props {
  place: { language: string; namespace: string; key: string }
  /** The field's text. */
  text: string
  /** The saved text; null is none. */
  stored: string | null
  /** The typed text, where another one was saved since it was begun. */
  conflict: AddressedDraft | undefined
  /** Of other tabs. */
  others: readonly OtherDraft[]
  /** Puts words into the field, as if typed. */
  onUse: (text: string) => void
  /** The typed text stays, over the one that was saved. */
  onMine: () => void
  onClose: () => void
}

/** A notice for each. */
export default function OtherTexts({ place, text, stored, conflict, others, onUse, onMine }: Props) {
  const { t } = useTranslation('editor')
  const { showDone } = useKeyTasks()
  const letGo = useDiscard(showDone)
  const drafts = useDraftStore()
  const discardOther = useDiscardOther(showDone)
  const discard = (other: OtherDraft) =>
    discardOther(
      () => drafts?.discardOther(other),
      () => drafts?.restoreOther(other),
    )
  const button = (words: string, onPress: () => void) => (
    <Button small onPress={onPress}>
      {words}
    </Button>
  )
  const notice = (key: string, sentence: string, buttons: ReactNode, before: string, after: string) => (
    <Notice key={key} kind="warn" action={<span className={styles.actions}>{buttons}</span>}>
      {sentence} <Diff before={before} after={after} language={place.language} />
      {key === '' && <LastAuthor place={place} />}
    </Notice>
  )
  return (
    <>
      {conflict &&
        notice(
          '',
          t(stored === null ? 'conflictGone' : 'conflictIs'),
          <>
            {button(t('takeTheirs'), () => {
              letGo([conflict])
              onUse(stored ?? '')
            })}
            {button(t('keepMine'), onMine)}
          </>,
          conflict.before ?? '',
          stored ?? '',
        )}
      {others.map(other =>
        notice(
          other.name,
          t(other.isClosed ? 'otherTabClosed' : 'otherTab'),
          <>
            {button(t('useOtherTab'), () => onUse(other.text))}
            {other.isClosed && button(t('common:discard'), () => discard(other))}
          </>,
          text,
          other.text,
        ),
      )}
    </>
  )
}

/** A quiet line; nothing until the history is read. */
function LastAuthor({ place }: Pick<Props, 'place'>) {
  const { t } = useTranslation('editor')
  const { slug } = useEditor()
  const { language, namespace, key } = place
  const { data: author } = useQuery({
    queryKey: ['project', slug, 'history', 'author', language, namespace, key],
    queryFn: ({ signal }) =>
      answer(getHistory({ slug, language, $namespace: namespace, key, limit: 1 }, { signal })).then(
        ({ revisions }) => revisions[0]?.author.name ?? null,
      ),
    staleTime: 0,
  })
  return author == null ? null : <p className="quiet">{t('changedBy', { name: author })}</p>
}
