/** A change of several texts by one commit. Afterwards the affected queries are fetched again. */
import { useQueryClient } from '@tanstack/react-query'
import { ownWrite } from '../../live/live.ts'
import { announce } from '../../ui/announce.ts'
import { useEditor } from '../editor-context.ts'
import { useKeyTasks } from './key-tasks.ts'

/** @returns runs a change and reports it, with an undo if the change names its revision */
export function useChanging() {
  const { slug } = useEditor()
  const { showDone } = useKeyTasks()
  const client = useQueryClient()
  return <T extends { revision?: string }>(change: () => Promise<T>, said: (changed: T) => string): Promise<T> =>
    ownWrite(async note => {
      const changed = await change()
      await client.invalidateQueries({ queryKey: ['project', slug] })
      note(changed.revision)
      const words = said(changed)
      announce(words)
      showDone({ sentence: words, ...(changed.revision !== undefined && { revision: changed.revision }) })
      return changed
    })
}
