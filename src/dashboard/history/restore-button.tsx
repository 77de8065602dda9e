/** Restores a project, or a part of it, to an earlier state. */
import { History } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { response } from '../api/answer.ts'
import { restoreProject } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { PlanDialog } from './plan-dialog.tsx'
import type { HistoryFilter } from './use-history.ts'

interface Props {
  slug: string
  /** A revision, release or time. */
  at: string
  /** The part: a language, one of its namespaces, or one of its keys. Absent: the whole project. */
  wanted: HistoryFilter
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
          ask={(how, options) => response(restoreProject({ slug, body, ...how }, options))}
          changesAny={({ added, updated, removed, project }) => added + updated + removed > 0 || project !== undefined}
          madeBy={({ restoredBy }) => restoredBy}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
