/** The tasks on whole keys that the editor can start, and changes of several texts by one commit. */
import { useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { ownWrite } from '../../live/live.ts'
import { announce } from '../../ui/announce.ts'
import { useEditor } from '../editor-context.ts'
import type { EditorRow } from '../model/rows.ts'

export type KeyTask = { is: 'add' } | { is: 'rename' | 'delete'; row: EditorRow }

/** A finished task. Its revision can be reverted; `undo` is for one that wrote nothing. */
export interface DoneKeyTask {
  sentence: string
  revision?: string | undefined
  undo?: () => void
}

export const KeyTasksContext = createContext<
  | {
      begin: (work: KeyTask | { is: 'replace' }) => void
      done: DoneKeyTask | undefined
      /** Shows a finished task until the next one, or until it is undone. */
      showDone: (done: DoneKeyTask | undefined) => void
    }
  | undefined
>(undefined)

/** Starts tasks on keys and reports their results. Below `KeyTasksProvider`. */
export const useKeyTasks = () => useContext(KeyTasksContext)!

let begun = 0
/** The newest change with a notice so far. */
let shown = 0

/** @returns runs a change, fetches the affected queries, and reports it with an undo of its revision */
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
      const sentence = said(changed)
      announce(sentence)
      // The reads of an older change end with those of a newer one, and after them.
      if (number > shown) showDone({ sentence, revision: changed.revision })
      shown = Math.max(shown, number)
      return changed
    })
}
