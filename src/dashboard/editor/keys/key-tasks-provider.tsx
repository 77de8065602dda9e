/** Tasks on whole keys: their dialogs, their buttons, and the notice of the last one. */
import { Plus, Replace, Undo2 } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../../api/answer.ts'
import { revertRevision } from '../../api/client.ts'
import { isAtLeast } from '../../api/rights.ts'
import { Button } from '../../ui/button.tsx'
import { afterFocus } from '../../ui/focus.ts'
import { useSubmission, Wrong } from '../../ui/form.tsx'
import { late } from '../../ui/late.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Empty } from '../../ui/page.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { useEditor } from '../editor-context.ts'
import type { EditorRow } from '../model/rows.ts'
import styles from '../toolbar.module.css'
import { type DoneKeyTask, type KeyTask, KeyTasksContext, useChanging, useKeyTasks } from './key-tasks.ts'

const KeyDialog = late(() => import('./key-dialogs.tsx'))
const ReplaceDialog = late(() => import('../replace/replace-dialog.tsx'))

interface Props {
  /** All that were read, and those that are shown. */
  rows: readonly EditorRow[]
  shown: readonly EditorRow[]
  /** Shows all rows, or those that match the filter now. */
  showAll: () => void
  renew: () => void
  children: ReactNode
}

/** It stands above the rows, which appear and disappear with these tasks. */
export function KeyTasksProvider({ rows, shown, showAll, renew, children }: Props) {
  const { actions } = useEditor()
  const [work, begin] = useState<KeyTask | { is: 'replace' }>()
  const [done, showDone] = useState<DoneKeyTask>()
  const [goal, setGoal] = useState<string>()
  const isThere = goal !== undefined && shown.some(({ id }) => id === goal)
  useEffect(() => {
    if (goal === undefined || !isThere) return
    setGoal(undefined)
    // The dialog first returns the focus, possibly to a row that then disappears.
    afterFocus(() => actions.go(goal, 0, { isEditing: true }))
  }, [goal, isThere, actions])
  const shared = useMemo(() => ({ begin, done, showDone }), [done])
  const close = () => begin(undefined)
  /** Goes to the new row, or to a neighbour of the one that disappears. */
  const finish = (task: KeyTask, id?: string) => {
    setGoal(id)
    if (task.is === 'add') return showAll()
    if (task.is === 'rename') return renew()
    const at = shown.findIndex(row => row.id === task.row.id)
    const next = shown[at + 1] ?? shown[at - 1]
    if (next) afterFocus(() => actions.go(next.id, 'key'))
  }
  return (
    <KeyTasksContext value={shared}>
      {children}
      {work?.is === 'replace' && <ReplaceDialog rows={shown} all={rows.length} onClose={close} />}
      {work && work.is !== 'replace' && (
        <KeyDialog work={work} rows={rows} onDone={id => finish(work, id)} onClose={close} />
      )}
    </KeyTasksContext>
  )
}

/** The last change of keys or of several texts, with its undo. */
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
  const revert = async () => {
    const { undoneBy, skipped } = await answer(revertRevision({ slug, body: { revision: revision! } }))
    return { skipped: skipped.length, ...(undoneBy !== null && { revision: undoneBy }) }
  }
  const said = ({ skipped }: { skipped: number }) => (skipped > 0 ? t('undoneBut', { count: skipped }) : t('undone'))
  return (
    <>
      <Notice
        kind="good"
        action={
          <>
            {(revision !== undefined || undo) && (
              <Button
                small
                icon={<Undo2 aria-hidden />}
                isPending={pending}
                onPress={undo ?? (() => void send(() => change(revert, said)))}
              >
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

/** In the place of keys where there are none. */
export function NoKeys() {
  const { t } = useTranslation('keys')
  return (
    <Empty title={t('editor:noKeys')} action={<AddButton>{t('add')}</AddButton>}>
      {t('editor:noKeysWhy')}
    </Empty>
  )
}

function AddButton({ children }: { children: ReactNode }) {
  const { begin } = useKeyTasks()
  const { sourcePermit } = useEditor()
  if (!isAtLeast(sourcePermit, 'translate')) return null
  return (
    <Button icon={<Plus aria-hidden />} onPress={() => begin({ is: 'add' })}>
      {children}
    </Button>
  )
}

/** The buttons above the grid that the reader's rights allow. */
export function KeyTools() {
  const { t } = useTranslation('keys')
  const { begin } = useKeyTasks()
  const { permits } = useEditor()
  return (
    <>
      <AddButton>
        <span className={styles.words}>{t('add')}</span>
      </AddButton>
      {permits.some(permit => isAtLeast(permit, 'translate')) && (
        <Tooltip words={t('replaceIn')}>
          <Button
            look="quiet"
            icon={<Replace aria-hidden />}
            aria-label={t('replaceIn')}
            onPress={() => begin({ is: 'replace' })}
          >
            <span className={styles.wide}>{t('replaceShort')}</span>
          </Button>
        </Tooltip>
      )}
    </>
  )
}
