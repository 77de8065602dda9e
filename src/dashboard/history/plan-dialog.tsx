/** A change with a preview. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { Wrong } from '../ui/form.tsx'
import { late } from '../ui/late.tsx'
import { Loaded } from '../ui/state.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { showLastRevert } from './last-revert.ts'
import type { RevertPreview } from './preview.tsx'
import { readAgain } from './use-history.ts'

// The editor's first visit has the dialog, and no changes to preview.
const Preview = late(() => import('./preview.tsx'), 'shown')

interface Props<Answer extends RevertPreview> {
  slug: string
  title: string
  /** The words on the button. */
  doIt: string
  /** The announcement afterwards. */
  said: string
  /** Names the request among the queries of the project. */
  queryKey: readonly unknown[]
  /** The request; its dry run is the plan. */
  ask: (
    how: { dryRun?: 'true'; ifMatch?: string },
    options?: { signal: AbortSignal },
  ) => Promise<{ data: Answer; headers: Headers }>
  /** Whether a plan would change anything. */
  changesAny: (plan: Answer) => boolean
  /** The commit that did it, null when none was needed. */
  madeBy: (done: Answer) => string | null
  onClose: () => void
  onDone?: (() => void) | undefined
}

/** First the preview, then the change, only if the previewed state is still current. */
export function PlanDialog<Answer extends RevertPreview>(props: Props<Answer>) {
  const { slug, title, doIt, said, queryKey, ask, changesAny, madeBy, onClose, onDone } = props
  const { t } = useTranslation()
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const plan = useQuery({
    queryKey: ['project', slug, ...queryKey],
    queryFn: ({ signal }) => ask({ dryRun: 'true' }, { signal }),
    staleTime: 0,
    retry: false,
  })
  const apply = async () => {
    const isDone = await send(async () => {
      const ifMatch = plan.data!.headers.get('etag')
      const revision = madeBy((await ask(ifMatch === null ? {} : { ifMatch })).data)
      onClose()
      onDone?.()
      if (revision === null) announce(said)
      else showLastRevert({ slug, revision, sentence: said })
      await readAgain(client, slug)
    })
    if (!isDone) void plan.refetch()
  }
  return (
    <Dialog title={title} isOpen onClose={onClose} wide alert>
      <Loaded read={plan}>{({ data }) => <Preview slug={slug} plan={data} onClose={onClose} />}</Loaded>
      <Wrong problem={problem} />
      <Actions>
        <Button onPress={onClose}>{t('cancel')}</Button>
        <Button
          look="primary"
          isPending={pending}
          isDisabled={!plan.data || !changesAny(plan.data.data)}
          onPress={() => void apply()}
        >
          {doIt}
        </Button>
      </Actions>
    </Dialog>
  )
}
