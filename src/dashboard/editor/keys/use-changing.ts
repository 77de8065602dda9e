/** A change of many texts by one commit: then the page reads what is concerned anew. */
import { useQueryClient } from '@tanstack/react-query'
import { ownWrite } from '../../live/live.ts'
import { announce } from '../../shell/announce.ts'
import { useEditor } from '../editor-context.ts'
import { useWork } from './key-tasks.ts'

/** @returns does a change and tells it, with the way back where it names its revision */
export function useChanging() {
  const { slug } = useEditor()
  const { tell } = useWork()
  const client = useQueryClient()
  return <T extends { revision?: string }>(change: () => Promise<T>, said: (changed: T) => string): Promise<T> =>
    ownWrite(async note => {
      const changed = await change()
      await client.invalidateQueries({ queryKey: ['project', slug] })
      note(changed.revision)
      const words = said(changed)
      announce(words)
      tell({ said: words, ...(changed.revision !== undefined && { revision: changed.revision }) })
      return changed
    })
}
