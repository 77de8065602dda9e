/** The thread's own program: computes what it is asked, one after the other. */
import { parentPort } from 'node:worker_threads'
import { pack, unpack } from './messages.ts'
import { type Order, programs, type Reply } from './programs.ts'

const port = parentPort!

port.on('message', packed => {
  const { name, task } = unpack(packed) as Order
  const { message, transfer } = pack(replyTo(name, task))
  port.postMessage(message, transfer)
})

function replyTo(name: Order['name'], task: unknown): Reply {
  try {
    return { answer: (programs[name] as (task: unknown) => unknown)(task), task }
  } catch (mistake) {
    return { mistake }
  }
}
