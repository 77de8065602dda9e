/** The last change of keys or of several texts, with its undo. */
import { Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../../api/answer.ts'
import { revertRevision } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Wrong } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useSubmission } from '../../ui/use-submission.ts'
import { useEditor } from '../editor-context.ts'
import { type DoneKeyTask, useKeyTasks } from './key-tasks.ts'
import { useChanging } from './use-changing.ts'

/** Empty before the first task. */
export function DoneNotice() {
  const { done } = useKeyTasks()
  // The failure of one task is not a failure of the next.
  return done && <Result key={done.revision ?? done.sentence} {...done} />
}

function Result({ sentence, revision, undo }: DoneKeyTask) {
  const { t } = useTranslation('keys')
  const { slug } = useEditor()
  const { showDone } = useKeyTasks()
  const change = useChanging()
  const { pending, problem, send } = useSubmission()
  const revert = () =>
    send(() =>
      change(
        async () => {
          const { undoneBy, skipped } = await answer(revertRevision({ slug, body: { revision: revision! } }))
          return { skipped: skipped.length, ...(undoneBy !== null && { revision: undoneBy }) }
        },
        ({ skipped }) => (skipped > 0 ? t('undoneBut', { count: skipped }) : t('undone')),
      ),
    )
  return (
    <>
      <Notice
        kind="good"
        action={
          <>
            {(revision !== undefined || undo) && (
              <Button small icon={<Undo2 aria-hidden />} isPending={pending} onPress={undo ?? (() => void revert())}>
                {t('undo')}
              </Button>
            )}
            <Button small look="quiet" onPress={() => showDone(undefined)}>
              {t('common:close')}
            </Button>
          </>
        }
      >
        {sentence}
      </Notice>
      <Wrong problem={problem} />
    </>
  )
}
