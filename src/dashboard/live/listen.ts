/**
 * One stream of events across reconnections. It uses `fetch`: an `EventSource` hides its start id, the reason of a
 * refusal, and a dead line. Another tab would need that id to continue the stream.
 */
import { EventFrames } from '../../bundle/event-frames.ts'
import type { LiveEvent } from './changes.ts'

/**
 * - `live`: events arrive
 * - `reconnecting`: not connected; missed events arrive after the connection
 * - `offline`: the server does not answer
 * - `ended`: the server refuses: signed out, or no member any more
 */
export type LiveState = 'live' | 'reconnecting' | 'offline' | 'ended'

/** The stream and the clock, which tests replace. */
export interface StreamSource {
  /** Asks for the stream from behind `last` on, as `fetch` does. */
  open(last: string | undefined, signal: AbortSignal): Promise<Response>
  /** Waits this number of milliseconds, or less if a retry is due earlier. The signal ends the wait. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>
}

export interface StreamListener {
  heard(heard: LiveEvent): void
  /** All events up to this revision were delivered. */
  moved(last: string): void
  state(state: LiveState): void
}

/** The server writes at least every 15 s. After this number of ms without a byte, the line is dead. */
const SILENCE = 35_000
const FIRST_RETRY = 2000
const LONGEST_RETRY = 30_000
/** Failed attempts before the state is `offline`. */
const UNANSWERED = 2

/** Listens until the signal, or until the server refuses: then the state is `ended`. */
export async function listen(
  line: StreamSource,
  listener: StreamListener,
  signal: AbortSignal,
  last?: string,
): Promise<void> {
  let retry = FIRST_RETRY
  for (let failed = 0, unanswered = 0; ; failed++) {
    if (failed > 0) {
      listener.state(unanswered < UNANSWERED ? 'reconnecting' : 'offline')
      await line.pause(Math.min(retry * 2 ** (failed - 1), LONGEST_RETRY), signal)
    }
    if (signal.aborted) return
    unanswered++
    try {
      const response = await line.open(last, signal)
      unanswered = 0
      if (response.status === 401 || response.status === 403) return listener.state('ended')
      if (!response.ok || !response.body) continue
      listener.state('live')
      failed = 0
      for await (const { id, event, data, retry: after = retry } of frames(response.body, signal)) {
        retry = after
        if (id !== undefined) listener.moved((last = id))
        if (data === undefined || last === undefined) continue
        if (event === 'change') listener.heard({ event, id: last, change: JSON.parse(data) })
        else if (event === 'reset') listener.heard({ event, id: last })
        else if (event === 'job') listener.heard({ event, id: last, job: JSON.parse(data) })
      }
    } catch {
      // Refused, broken or silent: the state reports each of them.
    }
  }
}

async function* frames(body: NonNullable<Response['body']>, signal: AbortSignal) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const whole = new EventFrames()
  const end = () => void reader.cancel().catch(() => {})
  let watch = setTimeout(end, SILENCE)
  signal.addEventListener('abort', end)
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      clearTimeout(watch)
      watch = setTimeout(end, SILENCE)
      yield* whole.take(decoder.decode(value, { stream: true }))
    }
  } finally {
    clearTimeout(watch)
    signal.removeEventListener('abort', end)
    end()
  }
}
