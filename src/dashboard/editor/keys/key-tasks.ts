/** The work on keys that a part of the editor can begin, and what was last done of it. */
import { createContext, useContext } from 'react'
import type { EditorRow } from '../model/rows.ts'

/** What is being done. */
export type KeyTask = { is: 'add' } | { is: 'rename' | 'delete'; row: EditorRow } | { is: 'replace' }

/** What was done; by one commit, where it can be taken back. */
export interface DoneKeyTask {
  said: string
  revision?: string
  /** Takes it back, where nothing was written. */
  back?: () => void
}

/** See the file. */
export interface KeyTasks {
  begin: (work: KeyTask) => void
  done: DoneKeyTask | undefined
  /** Shows what was done until something else is, or it was taken back. */
  tell: (done: DoneKeyTask | undefined) => void
}

export const WorkContext = createContext<KeyTasks | undefined>(undefined)

/** Begins work on keys, and tells of it. Below {@link WorkProvider}. */
export function useWork(): KeyTasks {
  const shared = useContext(WorkContext)
  if (!shared) throw new Error('useWork outside of the editor')
  return shared
}
