/** The program of the worker thread. Failures go as plain objects: the structured clone drops their code. */
import { Failure, type FailureCode } from '../bundle/errors.ts'
import { compute, type TaskInput, type TaskName } from './tasks.ts'

/** A task for the thread. */
export interface TaskMessage {
  name: TaskName
  task: TaskInput<TaskName>
}

/** Its answer. */
export type TaskReply = { answer: unknown } | { failure: { code: FailureCode; message: string; data: Failure['data'] } }

export default function run({ name, task }: TaskMessage): TaskReply {
  try {
    return { answer: compute(name, task) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, data } = error
    return { failure: { code, message, data } }
  }
}
