/** What to do about the problems of a saved translation: dismiss them, or show dismissed ones again. */
import { useTranslation } from 'react-i18next'
import type { CheckKind } from '../../bundle/checks/check-settings.ts'
import { answer } from '../api/answer.ts'
import { dismissProblem } from '../api/late-client.ts'
import { Button } from '../ui/button.tsx'
import { Wrong } from '../ui/form.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { useEditor } from './editor-context.ts'
import { useChanging } from './keys/use-changing.ts'
import type { RowCell } from './model/rows.ts'

export interface ProblemActionsProps {
  place: { language: string; namespace: string; key: string }
  cell: RowCell
  /** The name of a kind. */
  nameOf: (kind: string) => string
}

/** A button for each kind: a dismissal counts for all forms of the key. */
export default function ProblemActions({
  place,
  cell,
  nameOf,
  onClose,
}: ProblemActionsProps & {
  /** Called when a button may disappear with its focus. */
  onClose: () => void
}) {
  const { t } = useTranslation('context')
  const { slug } = useEditor()
  const change = useChanging()
  const { pending, problem, send } = useSubmission()
  const named = (kind: string) => ({ kind: nameOf(kind), key: place.key })
  const set = async (kind: string, isDismissed: boolean) => {
    const isDone = await send(() =>
      change(
        async () => {
          const { revision } = await answer(
            dismissProblem({ slug, body: { ...place, kind: kind as CheckKind, dismissed: isDismissed } }),
          )
          return revision === null ? {} : { revision }
        },
        () => t(isDismissed ? 'dismissedNow' : 'shownAgain', named(kind)),
      ),
    )
    if (isDone) onClose()
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
