/** What the thread can compute. */
import { computeKey, type KeyTask } from '../bundle/key-task.ts'
import { computePush, type PushTask } from '../bundle/push.ts'
import { computeRows } from '../bundle/rows.ts'
import { LastTree } from './last-tree.ts'

const trees = new LastTree()

export const programs = {
  push: (task: PushTask) => computePush(task, trees),
  key: (task: KeyTask) => computeKey(task, trees),
  rows: computeRows,
}

/** Each by its name, with what it takes and gives. */
export type Programs = typeof programs
export type Name = keyof Programs
export type Task<N extends Name> = Parameters<Programs[N]>[0]
export type Answer<N extends Name> = ReturnType<Programs[N]>

/** What is asked of the thread. */
export interface Order {
  name: Name
  task: unknown
}

/** What it answers; the task is given back with its bytes. A mistake in the program is no answer. */
export type Reply = { answer: unknown; task: unknown } | { mistake: unknown }
