import { setTimeout as pause } from 'node:timers/promises'

export async function endsWithin(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController()
  const late = pause(milliseconds, false, { signal: ended.signal }).catch(() => false)
  const end = () => true
  return Promise.race([promise.then(end, end), late]).finally(() => ended.abort())
}
