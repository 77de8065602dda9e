/** The tasks on keys that the editor can start, and the result of the last one. */
import { createContext, useContext } from 'react'
import type { EditorRow } from '../model/rows.ts'

/** The running task. */
export type KeyTask = { is: 'add' } | { is: 'rename' | 'delete'; row: EditorRow } | { is: 'replace' }

/** A finished task. With a revision, it can be reverted. */
export interface DoneKeyTask {
  said: string
  revision?: string
  /** Undoes it, where nothing was written. */
  back?: () => void
}

/** See the file. */
export interface KeyTasks {
  begin: (work: KeyTask) => void
  done: DoneKeyTask | undefined
  /** Shows a finished task until the next one, or until it is undone. */
  tell: (done: DoneKeyTask | undefined) => void
}

export const WorkContext = createContext<KeyTasks | undefined>(undefined)

/** Starts tasks on keys and reports their results. Below {@link WorkProvider}. */
export function useWork(): KeyTasks {
  const shared = useContext(WorkContext)
  if (!shared) throw new Error('useWork outside of the editor')
  return shared
}
