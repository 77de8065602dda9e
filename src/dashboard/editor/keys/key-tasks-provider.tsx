/** Tasks on whole keys. It stands above the rows, which appear and disappear with these tasks. */
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { afterFocus } from '../../ui/focus.ts'
import { late } from '../../ui/late.tsx'
import { useEditor } from '../editor-context.ts'
import type { EditorRow } from '../model/rows.ts'
import { type DoneKeyTask, type KeyTask, type KeyTasks, KeyTasksContext } from './key-tasks.ts'

const NewKeyDialog = late(() => import('./new-key-dialog.tsx'))
const RenameKey = late(() => import('./rename-key.tsx'))
const DeleteKey = late(() => import('./delete-key.tsx'))
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

/** Gives the editor its dialogs of keys. */
export function KeyTasksProvider({ rows, shown, showAll, renew, children }: Props) {
  const { actions, languages } = useEditor()
  const [work, begin] = useState<KeyTask>()
  const [done, showDone] = useState<DoneKeyTask>()
  const [goal, setGoal] = useState<string>()
  const isThere = goal !== undefined && shown.some(({ id }) => id === goal)
  useEffect(() => {
    if (goal === undefined || !isThere) return
    setGoal(undefined)
    // The dialog first returns the focus, possibly to a row that then disappears.
    afterFocus(() => actions.go(goal, 0, { isEditing: true }))
  }, [goal, isThere, actions])
  const shared = useMemo<KeyTasks>(() => ({ begin, done, showDone }), [done])
  const close = () => begin(undefined)
  /** The neighbours of a row that disappears. */
  const leave = ({ id }: EditorRow) => {
    const at = shown.findIndex(row => row.id === id)
    const next = shown[at + 1] ?? shown[at - 1]
    if (next) afterFocus(() => actions.go(next.id, 'key'))
  }
  return (
    <KeyTasksContext value={shared}>
      {children}
      {work?.is === 'add' && (
        <NewKeyDialog
          rows={rows}
          onAdded={id => {
            showAll()
            setGoal(id)
          }}
          onClose={close}
        />
      )}
      {work?.is === 'rename' && (
        <RenameKey
          row={work.row}
          rows={rows}
          onRenamed={id => {
            renew()
            setGoal(id)
          }}
          onClose={close}
        />
      )}
      {work?.is === 'delete' && (
        <DeleteKey row={work.row} languages={languages} onDeleted={() => leave(work.row)} onClose={close} />
      )}
      {work?.is === 'replace' && <ReplaceDialog rows={shown} all={rows.length} onClose={close} />}
    </KeyTasksContext>
  )
}
