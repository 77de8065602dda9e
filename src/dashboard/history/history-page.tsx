/** The history of a project, of a language or namespace, of a key, or by an author. */
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { ProjectFrame } from '../project/project-frame.tsx'
import { Commits } from './commits.tsx'
import { Deleted } from './deleted.tsx'
import { Done } from './done.tsx'
import { Filters } from './filters.tsx'
import type { HistoryFilter } from './use-history.ts'

/** The history that the address names. A new address clears the selection. */
export default function HistoryPage() {
  const { t } = useTranslation('history')
  const { slug = '' } = useParams()
  const search = useSearch()
  const { commit, ...wanted } = Object.fromEntries(new URLSearchParams(search)) as HistoryFilter & { commit?: string }
  return (
    <ProjectFrame slug={slug} title={t('common:history')} evenDeleted>
      <Deleted slug={slug} />
      <Filters slug={slug} wanted={wanted} />
      <Done slug={slug} />
      <Commits key={`${slug}?${search}`} slug={slug} wanted={wanted} opened={commit} />
    </ProjectFrame>
  )
}
