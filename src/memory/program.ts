/** The program of the thread that holds the memories. It answers requests in their order. */
import { parentPort, workerData } from 'node:worker_threads'
import { type MemoryLimits, MemoryStore } from './memory-store.ts'

/** The name of a request to the thread. */
export type MemoryCall = 'changed' | 'missing' | 'put' | 'loaded' | 'search'

/** A request to the thread. */
export interface MemoryRequest<C extends MemoryCall = MemoryCall> {
  id: number
  call: C
  given: Parameters<MemoryStore[C]>
}

/** The answer of the thread. */
export type MemoryReply = { id: number; answer: unknown } | { id: number; error: string }

const store = new MemoryStore(workerData as MemoryLimits)

parentPort!.on('message', ({ id, call, given }: MemoryRequest) => {
  let reply: MemoryReply
  try {
    reply = { id, answer: (store[call] as (...given: unknown[]) => unknown).apply(store, given) }
  } catch (error) {
    reply = { id, error: String((error as Error).stack ?? error) }
  }
  parentPort!.postMessage(reply)
})
