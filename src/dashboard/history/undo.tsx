/** Takes back what commits did. */
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
import { tellDone } from './made.ts'
import { Preview } from './preview.tsx'
import { readAgain } from './use-history.ts'

interface Props {
  slug: string
  /** Full ids, in any order: several are undone as one commit. */
  revisions: readonly string[]
  /** What they are called. */
  subject: string
  /** The dialog's name and what is said afterwards, where it is not by that. */
  title?: string
  said?: string
  onClose: () => void
  onDone?: () => void
}

/** A dialog: first what would go back, then doing it on just the state that was looked at. */
export function Undo({ slug, revisions, subject, title, said, onClose, onDone }: Props) {
  const { t } = useTranslation('history')
  const client = useQueryClient()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState('')
  const body = revisions.length === 1 ? { revision: revisions[0]! } : { revisions: [...revisions] }
  const plan = useQuery({
    queryKey: ['project', slug, 'undo', body],
    queryFn: ({ signal }) => whole(revertRevision({ slug, dryRun: 'true', body }, { signal })),
    staleTime: 0,
    retry: false,
  })
  const undo = async () => {
    setPending(true)
    setProblem('')
    try {
      const ifMatch = plan.data!.headers.get('etag')
      const { undoneBy } = await answer(revertRevision({ slug, ...(ifMatch !== null && { ifMatch }), body }))
      onClose()
      onDone?.()
      const sentence = said ?? t('undone', { subject })
      if (undoneBy === null) announce(sentence)
      else tellDone({ slug, revision: undoneBy, sentence })
      await readAgain(client, slug)
    } catch (error) {
      setProblem(problemOf(error, t))
      void plan.refetch()
    } finally {
      setPending(false)
    }
  }
  const changesProject = ({ project }: { project?: { before: unknown; after: unknown } }) =>
    project !== undefined && JSON.stringify(project.before) !== JSON.stringify(project.after)
  return (
    <Dialog title={title ?? t('undoNamed', { subject })} isOpen onClose={onClose} wide alert>
      <Loaded read={plan}>
        {({ data }) => (
          <Preview
            slug={slug}
            changes={data.changes ?? []}
            skipped={data.skipped}
            more={data.more ?? 0}
            {...(data.project && { project: data.project })}
          />
        )}
      </Loaded>
      {problem !== '' && <Notice kind="bad">{problem}</Notice>}
      <Actions>
        <Button onPress={onClose}>{t('common:cancel')}</Button>
        <Button
          look="primary"
          isPending={pending}
          isDisabled={!plan.data || (plan.data.data.reverted === 0 && !changesProject(plan.data.data))}
          onPress={() => void undo()}
        >
          {t('undo')}
        </Button>
      </Actions>
    </Dialog>
  )
}
