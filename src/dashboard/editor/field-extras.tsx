/** What stands below a field and loads after it: one file, so that a first visit knows one name more only. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CheckKind } from '../../bundle/checks/check-settings.ts'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { dismissProblem } from '../api/late-client.ts'
import type { AddressedDraft, OtherDraft } from '../drafts/drafts.ts'
import { useDiscard, useDiscardOther } from '../drafts/typed-texts.tsx'
import { useDraftStore } from '../drafts/use-drafts.tsx'
import { Button } from '../ui/button.tsx'
import { Diff } from '../ui/diff.tsx'
import { useSubmission, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { useEditor } from './editor-context.ts'
import { useChanging, useKeyTasks } from './keys/key-tasks.ts'
import type { KeyAddress, RowCell } from './model/rows.ts'
import LengthCounter, { type LengthCounterProps } from './panel/length-counter.tsx'

type TextPlace = Omit<KeyAddress, 'slug'>

interface ProblemActionsProps {
  place: TextPlace
  cell: RowCell
  nameOf: (kind: string) => string
  /** Called when a button may disappear with its focus. */
  onClose: () => void
}

type Props = ProblemActionsProps | (LengthCounterProps & { cell?: undefined; onClose: () => void })

/** The actions on the problems of a cell, or the counter of a text. */
export default function FieldExtras(props: Props) {
  if (!props.cell) return <LengthCounter {...props} />
  // The new state's buttons do not wait for the write that led to it, which still refreshes other queries.
  return <ProblemActions key={props.cell.dismissed.join()} {...props} />
}

/** A button for each kind of problem, to dismiss or to show again: a dismissal counts for all forms of the key. */
function ProblemActions({ place, cell, nameOf, onClose }: ProblemActionsProps) {
  const { t } = useTranslation('context')
  const { slug } = useEditor()
  const change = useChanging()
  const { pending, problem, send } = useSubmission()
  const named = (kind: string) => ({ kind: nameOf(kind), key: place.key })
  const set = async (kind: string, dismissed: boolean) => {
    const write = async () => {
      const { revision } = await answer(
        dismissProblem({ slug, body: { ...place, kind: kind as CheckKind, dismissed } }),
      )
      return revision === null ? {} : { revision }
    }
    if (await send(() => change(write, () => t(dismissed ? 'dismissedNow' : 'shownAgain', named(kind))))) onClose()
  }
  return (
    <>
      {[...new Set(cell.problems.map(({ kind }) => kind))].map(kind => (
        <Button key={kind} small isPending={pending} onPress={() => void set(kind, true)}>
          {t('dismiss', named(kind))}
        </Button>
      ))}
      {[...new Set(cell.dismissed)].map(kind => (
        <span key={kind} className="quiet">
          {t('dismissed', named(kind))}{' '}
          <Button
            small
            look="quiet"
            isPending={pending}
            aria-label={t('showAgainKind', named(kind))}
            onPress={() => void set(kind, false)}
          >
            {t('showAgain')}
          </Button>
        </span>
      ))}
      <Wrong problem={problem} />
    </>
  )
}

interface OtherProps {
  place: TextPlace
  text: string
  /** The saved text; null is none. */
  stored: string | null
  /** The typed text, where another one was saved since it was begun. */
  conflict: AddressedDraft | undefined
  others: readonly OtherDraft[]
  /** Puts words into the field, as if typed. */
  onUse: (text: string) => void
  /** The typed text stays, over the one that was saved. */
  onMine: () => void
  onClose: () => void
}

/** Other texts for a field with a typed one: another user's, or of the reader's other tabs. The reader chooses one. */
export function OtherTexts({ place, text, stored, conflict, others, onUse, onMine }: OtherProps) {
  const { t } = useTranslation('editor')
  const { showDone } = useKeyTasks()
  const letGo = useDiscard(showDone)
  const drafts = useDraftStore()
  const discardOther = useDiscardOther(showDone)
  const button = (words: string, onPress: () => void) => (
    <Button small onPress={onPress}>
      {words}
    </Button>
  )
  const notice = (key: string, sentence: string, buttons: ReactNode, before: string, after: string) => (
    <Notice key={key} kind="warn" action={<span className="row2">{buttons}</span>}>
      {sentence} <Diff before={before} after={after} language={place.language} />
      {key === '' && <LastAuthor place={place} />}
    </Notice>
  )
  const useTheirs = () => {
    letGo([conflict!])
    onUse(stored ?? '')
  }
  const discard = (other: OtherDraft) =>
    discardOther(
      () => drafts?.discardOther(other),
      () => drafts?.restoreOther(other),
    )
  return (
    <>
      {conflict &&
        notice(
          '',
          t(stored === null ? 'conflictGone' : 'conflictIs'),
          <>
            {button(t('takeTheirs'), useTheirs)}
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
function LastAuthor({ place }: { place: TextPlace }) {
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
