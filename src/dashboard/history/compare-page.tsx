/** The differences between two states of a project. */
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { ProjectFrame } from '../project/project-frame.tsx'
import { Compared } from './compared.tsx'
import { DiffPages } from './diff-pages.tsx'
import { Done } from './done.tsx'
import { daysAgo } from './earlier-days.ts'
import { RestoreButton } from './restore-button.tsx'
import { useReleases } from './use-history.ts'

/**
 * The fields suggest releases and days, and accept any revision or time. The choice is part of the address; without one
 * it is the newest release against now, or a week ago where there is none.
 */
export default function ComparePage() {
  const { t } = useTranslation('history')
  const { slug = '' } = useParams()
  const search = new URLSearchParams(useSearch())
  const releases = useReleases(slug)
  const first = releases.data && (releases.data[0]?.name ?? daysAgo(7))
  const [from, to] = [search.get('from') ?? first ?? '', search.get('to') ?? '']
  return (
    <ProjectFrame slug={slug} title={t('common:compare')}>
      <Compared slug={slug} from={from} to={to} />
      <Done slug={slug} />
      {from !== '' && (
        <DiffPages slug={slug} level={2} from={from} {...(to !== '' && { to })}>
          <span>
            <RestoreButton slug={slug} at={from} wanted={{}} label={t('restoreNamed', { name: from })} />
          </span>
        </DiffPages>
      )}
    </ProjectFrame>
  )
}
