/** Restores a deleted project. */
import { useQuery } from '@tanstack/react-query'
import { ArchiveRestore } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { isNotFound, useManifest } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Undo } from './undo.tsx'

/** Says who deleted a project, and offers owners and admins to undo just that; nothing while there is the project. */
export function Deleted({ slug }: { slug: string }) {
  const { t } = useTranslation('history')
  const { who } = useMember()
  const isGone = isNotFound(useManifest(slug).error)
  const [undoing, undo] = useState(false)
  const { data: last } = useQuery({
    queryKey: ['project', slug, 'history', 'last'],
    enabled: isGone,
    // The deletion is the last commit of a missing project.
    queryFn: async ({ signal }) => (await answer(getHistory({ slug, limit: 1 }, { signal }))).revisions[0] ?? null,
  })
  if (!isGone || !last) return null
  return (
    <Notice
      kind="warn"
      action={
        mayManage(who) && (
          <Button small icon={<ArchiveRestore aria-hidden />} onPress={() => undo(true)}>
            {t('bringBack')}
          </Button>
        )
      }
    >
      {t('isDeleted', { who: last.author.name })} {!mayManage(who) && t('whoBringsBack')}
      {undoing && (
        <Undo
          slug={slug}
          revisions={[last.revision]}
          subject={last.subject}
          title={t('bringBack')}
          said={t('broughtBack')}
          onClose={() => undo(false)}
        />
      )}
    </Notice>
  )
}
