/** Reverts commits. */
import { useTranslation } from 'react-i18next'
import { response } from '../api/answer.ts'
import { type Reverted, revertRevision } from '../api/client.ts'
import { PlanDialog } from './plan-dialog.tsx'

interface Props {
  slug: string
  /** Full ids, in any order: several are undone as one commit. */
  revisions: readonly string[]
  /** The names of the commits. */
  subject: string
  /** The dialog's title and the announcement, if other than the default. */
  title?: string
  said?: string
  onClose: () => void
  onDone?: () => void
}

const changesProject = ({ project }: Reverted) =>
  project !== undefined && JSON.stringify(project.before) !== JSON.stringify(project.after)

/** A dialog with what would go back. */
export function Undo({ slug, revisions, subject, title, said, onClose, onDone }: Props) {
  const { t } = useTranslation('history')
  const body = revisions.length === 1 ? { revision: revisions[0]! } : { revisions: [...revisions] }
  return (
    <PlanDialog
      slug={slug}
      title={title ?? t('undoNamed', { subject })}
      doIt={t('undo')}
      said={said ?? t('undone', { subject })}
      queryKey={['undo', body]}
      ask={(how, options) => response(revertRevision({ slug, body, ...how }, options))}
      changesAny={plan => plan.reverted > 0 || plan.stale !== undefined || changesProject(plan)}
      madeBy={({ undoneBy }) => undoneBy}
      onClose={onClose}
      onDone={onDone}
    />
  )
}
