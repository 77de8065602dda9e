/** What happened to a project: to all of it, to a language or namespace, to a key, by a person. */
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { ProjectFrame } from '../project/project-frame.tsx'
import { Commits } from './commits.tsx'
import { Deleted } from './deleted.tsx'
import { Done } from './done.tsx'
import { Filters } from './filters.tsx'
import type { HistoryFilter } from './use-history.ts'

/** The history that the address names; what was chosen in one is not in another. */
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
