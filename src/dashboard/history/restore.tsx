/** Puts a project, or a part of it, back to what it was. */
import { History } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, whole } from '../api/answer.ts'
import { getDiff, type Restored, restoreProject } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { PlanDialog } from './plan-dialog.tsx'
import type { ChangedProject } from './project-change.tsx'
import type { Wanted } from './use-history.ts'

interface Props {
  slug: string
  /** A revision, release or time. */
  at: string
  /** Which part: a language, a namespace of it, a key of that; all of the project without. */
  wanted: Wanted
  label: string
}

/** A button, and the dialog that shows what would change. */
export function RestoreButton({ slug, at, wanted: { language, namespace, key }, label }: Props) {
  const { t } = useTranslation('history')
  const [open, setOpen] = useState(false)
  const body = {
    at,
    ...(language !== undefined && { language }),
    ...(namespace !== undefined && { namespace }),
    ...(key !== undefined && { key }),
  }
  // The dry run does not tell of the project's own fields, which go back with all of it.
  const projectBack = async (options?: { signal: AbortSignal }): Promise<{ project?: ChangedProject }> => {
    if (language !== undefined) return {}
    const { project } = await answer(getDiff({ slug, $from: at, limit: 1 }, options)).catch(() => ({
      project: undefined,
    }))
    return project ? { project: { before: project.after, after: project.before } } : {}
  }
  return (
    <>
      <Button small icon={<History aria-hidden />} onPress={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <PlanDialog
          slug={slug}
          title={label}
          doIt={t('restore')}
          said={t('restored')}
          queryKey={['restore', body]}
          ask={async (how, options) => {
            const [restored, back] = await Promise.all([
              whole(restoreProject({ slug, body, ...how }, options)),
              how.dryRun ? projectBack(options) : {},
            ])
            const data: Restored & { project?: ChangedProject } = { ...restored.data, ...back }
            return { ...restored, data }
          }}
          changesAny={({ added, updated, removed, project }) => added + updated + removed > 0 || project !== undefined}
          madeBy={({ restoredBy }) => restoredBy}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
