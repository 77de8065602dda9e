/** The browser's services for sharing one stream: locks, a channel, `fetch`, and the signals for a retry. */
import { listen, type StreamSource } from './listen.ts'
import type { Channel, Sharing } from './shared-stream.ts'

/**
 * Of the tabs that show this organization.
 * @param url of the events, relative to the dashboard
 */
export function sharing(organization: string, url: string): Sharing {
  const { locks } = navigator
  // Pages over plain HTTP have no locks. There each visible tab listens for itself.
  if (!locks) {
    const alone = whileSeen(line(url))
    return { channel: nobody(), turn: (_, lead) => lead(), listen: (...listening) => listen(alone, ...listening) }
  }
  const name = `parlance live ${new URL(url, location.href).pathname} ${organization}`
  return {
    channel: new BroadcastChannel(name),
    turn: (signal, lead) => locks.request(name, { signal }, lead),
    listen: (...listening) => listen(line(url), ...listening),
  }
}

const nobody = (): Channel => ({ postMessage() {}, onmessage: null, close() {} })

const line = (url: string): StreamSource => ({
  open: (last, signal) => {
    const query = last === undefined ? '' : `?since=${last}`
    return fetch(url + query, { headers: { accept: 'text/event-stream' }, cache: 'no-store', signal })
  },
  pause: (milliseconds, signal) =>
    new Promise(resolve => {
      const over = new AbortController()
      const done = () => {
        clearTimeout(timer)
        over.abort()
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      const { signal: until } = over
      addEventListener('online', done, { signal: until })
      document.addEventListener('visibilitychange', () => !document.hidden && done(), { signal: until })
      signal.addEventListener('abort', done, { signal: until })
    }),
})

/** A stream that closes while the tab is hidden. */
const whileSeen = (line: StreamSource): StreamSource => ({
  ...line,
  open: async (last, signal) => {
    const hidden = new AbortController()
    await new Promise<void>(resolve => onceHidden(false, signal, resolve))
    onceHidden(true, signal, () => hidden.abort())
    return await line.open(last, AbortSignal.any([signal, hidden.signal]))
  },
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
