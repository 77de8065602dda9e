/** The tasks on keys that the editor can start, and the result of the last one. */
import { createContext, useContext } from 'react'
import type { EditorRow } from '../model/rows.ts'

/** The running task. */
export type KeyTask = { is: 'add' } | { is: 'rename' | 'delete'; row: EditorRow } | { is: 'replace' }

/** A finished task. With a revision, it can be reverted. */
export interface DoneKeyTask {
  sentence: string
  revision?: string
  /** Undoes it, where nothing was written. */
  undo?: () => void
}

export interface KeyTasks {
  begin: (work: KeyTask) => void
  done: DoneKeyTask | undefined
  /** Shows a finished task until the next one, or until it is undone. */
  showDone: (done: DoneKeyTask | undefined) => void
}

export const KeyTasksContext = createContext<KeyTasks | undefined>(undefined)

/** Starts tasks on keys and reports their results. Below {@link KeyTasksProvider}. */
export const useKeyTasks = (): KeyTasks => useContext(KeyTasksContext)!
