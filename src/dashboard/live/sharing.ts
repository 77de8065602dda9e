/** The browser's services for sharing one stream: locks, a channel, `fetch`, and the signals for a retry. */
import { listen, type StreamSource } from './listen.ts'
import type { Sharing } from './shared-stream.ts'

/** Relative to the dashboard. */
const EVENTS = './api/events'

/** For the tabs that show this organization. */
export function sharing(organization: string): Sharing {
  const { locks } = navigator
  // Pages over plain HTTP have no locks. There each visible tab listens for itself.
  if (!locks)
    return {
      channel: { postMessage() {}, onmessage: null, close() {} },
      turn: (_, lead) => lead(),
      listen: (...listening) => listen({ open: openWhileSeen, pause }, ...listening),
    }
  const name = `parlance live ${new URL(EVENTS, location.href).pathname} ${organization}`
  return {
    channel: new BroadcastChannel(name),
    turn: (signal, lead) => locks.request(name, { signal }, lead),
    listen: (...listening) => listen({ open, pause }, ...listening),
  }
}

const open: StreamSource['open'] = (last, signal) => {
  const query = last === undefined ? '' : `?since=${last}`
  return fetch(EVENTS + query, { headers: { accept: 'text/event-stream' }, cache: 'no-store', signal })
}

/** A stream that closes while the tab is hidden. */
const openWhileSeen: StreamSource['open'] = async (last, signal) => {
  const hidden = new AbortController()
  await new Promise<void>(resolve => onceHidden(false, signal, resolve))
  onceHidden(true, signal, () => hidden.abort())
  return await open(last, AbortSignal.any([signal, hidden.signal]))
}

const pause: StreamSource['pause'] = (milliseconds, signal) =>
  new Promise(resolve => {
    const over = new AbortController()
    const done = () => {
      clearTimeout(timer)
      over.abort()
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    addEventListener('online', done, { signal: over.signal })
    document.addEventListener('visibilitychange', () => !document.hidden && done(), { signal: over.signal })
    signal.addEventListener('abort', done, { signal: over.signal })
  })

/** Resolves when the visibility of the tab changes, or with the signal. */
function onceHidden(hidden: boolean, signal: AbortSignal, done: () => void): void {
  const over = new AbortController()
  const look = () => {
    if (document.hidden !== hidden && !signal.aborted) return
    over.abort()
    done()
  }
  document.addEventListener('visibilitychange', look, { signal: over.signal })
  signal.addEventListener('abort', look, { signal: over.signal })
  look()
}
