/** Puts a project, or a part of it, back to what it was. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, whole } from '../api/answer.ts'
import { restoreProject } from '../api/client.ts'
import { problemOf } from '../api/sentence.ts'
import { announce } from '../shell/announce.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/state.tsx'
import { tellDone } from './made.ts'
import { Preview } from './preview.tsx'
import { readAgain, type Wanted } from './use-history.ts'

interface Props {
  slug: string
  /** A revision, release or time. */
  at: string
  /** Which part: a language, a namespace of it, a key of that; all of the project without. */
  wanted: Wanted
  label: string
}

/** A button, and the dialog that shows what would change. */
export function RestoreButton(props: Props) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button small icon={<History aria-hidden />} onPress={() => setOpen(true)}>
        {props.label}
      </Button>
      {open && <Restore {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function Restore({ slug, at, wanted: { language, namespace, key }, label, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation('history')
  const client = useQueryClient()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState('')
  const body = {
    at,
    ...(language !== undefined && { language }),
    ...(namespace !== undefined && { namespace }),
    ...(key !== undefined && { key }),
  }
  const plan = useQuery({
    queryKey: ['project', slug, 'restore', body],
    queryFn: ({ signal }) => whole(restoreProject({ slug, dryRun: 'true', body }, { signal })),
    staleTime: 0,
    retry: false,
  })
  const restore = async () => {
    setPending(true)
    setProblem('')
    try {
      const ifMatch = plan.data!.headers.get('etag')
      const { restoredBy } = await answer(restoreProject({ slug, ...(ifMatch !== null && { ifMatch }), body }))
      onClose()
      if (restoredBy === null) announce(t('restored'))
      else tellDone({ slug, revision: restoredBy, sentence: t('restored') })
      await readAgain(client, slug)
    } catch (error) {
      setProblem(problemOf(error, t))
      void plan.refetch()
    } finally {
      setPending(false)
    }
  }
  return (
    <Dialog title={label} isOpen onClose={onClose} wide alert>
      <Loaded read={plan}>
        {({ data: { changes = [], more } }) => (
          <Preview slug={slug} changes={changes} {...(more !== undefined && { more })} />
        )}
      </Loaded>
      {problem !== '' && <Notice kind="bad">{problem}</Notice>}
      <Actions>
        <Button onPress={onClose}>{t('common:cancel')}</Button>
        <Button
          look="primary"
          isPending={pending}
          isDisabled={!plan.data || plan.data.data.added + plan.data.data.updated + plan.data.data.removed === 0}
          onPress={() => void restore()}
        >
          {t('restore')}
        </Button>
      </Actions>
    </Dialog>
  )
}
