/** The worker thread's own program: one task at a time, failures as plain objects, since a message would keep their sentence alone. */
import { Failure, type FailureCode } from '../bundle/errors.ts'
import { compute, LastTree, type Name, type Task } from './tasks.ts'

/** What is asked. */
export interface Order {
  name: Name
  task: Task<Name>
}

/** What is answered. */
export type Reply = { answer: unknown } | { failure: { code: FailureCode; message: string; data: Failure['data'] } }

const trees = new LastTree()

export default function run({ name, task }: Order): Reply {
  try {
    return { answer: compute(name, task, trees) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, data } = error
    return { failure: { code, message, data } }
  }
}
