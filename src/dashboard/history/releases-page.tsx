/** Names for states of a project. */
import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { answer } from '../api/answer.ts'
import { deleteRelease, type Release } from '../api/late-client.ts'
import { serverAddress } from '../api/server-address.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { Done } from './done.tsx'
import { NewRelease } from './new-release.tsx'
import { ReleaseTable } from './release-table.tsx'
import { releasesKey, useReleases } from './use-history.ts'

/** The table of releases, with dialogs to create and delete one. */
export default function ReleasesPage() {
  const { t } = useTranslation('history')
  const { slug = '' } = useParams()
  const [making, make] = useState(false)
  const client = useQueryClient()
  const releases = useReleases(slug)
  const read = () => client.invalidateQueries({ queryKey: releasesKey(slug) })
  const remove = async ({ name }: Release) => {
    await answer(deleteRelease({ slug, name }))
    announce(t('releaseDeleted', { name }))
    await read()
  }
  const action = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => make(true)}>
      {t('newRelease')}
    </Button>
  )
  return (
    <ProjectFrame slug={slug} title={t('common:releases')} actions={releases.data?.length !== 0 && action}>
      <Done slug={slug} />
      <Loaded read={releases}>
        {releases =>
          releases.length === 0 ? (
            <Empty title={t('noReleases')} action={action}>
              {t('releasesWhy')}
            </Empty>
          ) : (
            <>
              <ReleaseTable slug={slug} releases={releases} onDelete={remove} />
              <Snippet
                label={t('readRelease')}
                code={`curl -H "x-api-key: $PARLANCE_TOKEN" "${serverAddress()}/api/projects/${slug}/export?format=json&at=${releases[0]!.name}"`}
              />
            </>
          )
        }
      </Loaded>
      {making && <NewRelease slug={slug} onClose={() => make(false)} onMade={read} />}
    </ProjectFrame>
  )
}
