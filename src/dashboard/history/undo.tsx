/** Takes back what a commit did. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, whole } from '../api/answer.ts'
import { revertRevision } from '../api/client.ts'
import { problemOf } from '../api/sentence.ts'
import { announce } from '../shell/announce.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/state.tsx'
import { Preview } from './preview.tsx'

interface Props {
  slug: string
  revision: string
  subject: string
  onClose: () => void
}

/** A dialog: first what would go back, then doing it on just the state that was looked at. */
export function Undo({ slug, revision, subject, onClose }: Props) {
  const { t } = useTranslation('history')
  const client = useQueryClient()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState('')
  const plan = useQuery({
    queryKey: ['project', slug, 'undo', revision],
    queryFn: ({ signal }) => whole(revertRevision({ slug, dryRun: 'true', body: { revision } }, { signal })),
    staleTime: 0,
    retry: false,
  })
  const undo = async () => {
    setPending(true)
    setProblem('')
    try {
      const ifMatch = plan.data!.headers.get('etag')
      await answer(revertRevision({ slug, ...(ifMatch !== null && { ifMatch }), body: { revision } }))
      await client.invalidateQueries({ queryKey: ['project', slug] })
      announce(t('undone', { subject }))
      onClose()
    } catch (error) {
      setProblem(problemOf(error, t))
      void plan.refetch()
    } finally {
      setPending(false)
    }
  }
  return (
    <Dialog title={t('undoNamed', { subject })} isOpen onClose={onClose} wide alert>
      <Loaded read={plan}>
        {({ data: { changes = [], more, skipped } }) => (
          <Preview slug={slug} changes={changes} skipped={skipped} {...(more !== undefined && { more })} />
        )}
      </Loaded>
      {problem !== '' && <Notice kind="bad">{problem}</Notice>}
      <Actions>
        <Button onPress={onClose}>{t('common:cancel')}</Button>
        <Button
          look="primary"
          isPending={pending}
          isDisabled={!plan.data || plan.data.data.reverted === 0}
          onPress={() => void undo()}
        >
          {t('undo')}
        </Button>
      </Actions>
    </Dialog>
  )
}
