/** A change of several texts by one commit. Afterwards the affected queries are fetched again. */
import { useQueryClient } from '@tanstack/react-query'
import { ownWrite } from '../../live/live.ts'
import { announce } from '../../ui/announce.ts'
import { useEditor } from '../editor-context.ts'
import { useKeyTasks } from './key-tasks.ts'

let begun = 0
/** The newest change with a notice so far. */
let shown = 0

/** @returns runs a change and reports it, with an undo if the change names its revision */
export function useChanging() {
  const { slug } = useEditor()
  const { showDone } = useKeyTasks()
  const client = useQueryClient()
  return <T extends { revision?: string }>(change: () => Promise<T>, said: (changed: T) => string): Promise<T> =>
    ownWrite(async note => {
      const number = ++begun
      const changed = await change()
      await client.invalidateQueries({ queryKey: ['project', slug] })
      note(changed.revision)
      const words = said(changed)
      announce(words)
      // The reads of an older change end with those of a newer one, and after them.
      if (number > shown)
        showDone({ sentence: words, ...(changed.revision !== undefined && { revision: changed.revision }) })
      shown = Math.max(shown, number)
      return changed
    })
}
