/** The thread's own program: computes one push after the other. */
import { parentPort } from 'node:worker_threads'
import { computePush, type PushTask } from '../bundle/push.ts'
import { type Reply, replyMessage } from './messages.ts'

const port = parentPort!

port.on('message', (task: PushTask) => {
  try {
    const { message, transfer } = replyMessage(computePush(task), task.body)
    port.postMessage(message, transfer)
  } catch (error) {
    const reply: Reply = { answer: { kind: 'mistake', error }, body: task.body }
    port.postMessage(reply)
  }
})
