/** The worker thread's program: one task at a time. Failures go as plain objects: a message keeps only the sentence. */
import { Failure, type FailureCode } from '../bundle/errors.ts'
import { compute, LastParsed, type Name, type Task } from './tasks.ts'

/** A task for the thread. */
export interface Order {
  name: Name
  task: Task<Name>
}

/** Its answer. */
export type Reply = { answer: unknown } | { failure: { code: FailureCode; message: string; data: Failure['data'] } }

const cache = new LastParsed()

export default function run({ name, task }: Order): Reply {
  try {
    return { answer: compute(name, task, cache) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, data } = error
    return { failure: { code, message, data } }
  }
}
