/**
 * better-auth keeps what a call is about in AsyncLocalStorage. Before version 24, Node pays for that at every promise and socket of the
 * whole process, from the first call on and for good: a third of what a read costs. So the storages are switched off between calls.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Acting, forgetActs, startAct } from './acting.ts'

let underWay = 0

/**
 * Runs a call of better-auth; when it was the last one under way, nothing remains of its context.
 * @param acting who the audit trail is to name for what the call does
 */
export async function inContext<T>(call: () => Promise<T>, acting?: Acting): Promise<T> {
  underWay++
  try {
    return await (acting ? startAct(acting, call) : call())
  } finally {
    if (--underWay === 0) {
      for (const storage of storages()) storage.disable()
      forgetActs()
    }
  }
}

/** Where better-auth keeps them, so that several copies of it in a process share them. Elsewhere they would cost time, and nothing more. */
const PLACE = Symbol.for('better-auth:global')

function storages(): AsyncLocalStorage<unknown>[] {
  const place = (globalThis as { [PLACE]?: { context?: object } })[PLACE]
  return Object.values(place?.context ?? {}).filter(value => value instanceof AsyncLocalStorage)
}
