/**
 * One stream of events across reconnections. Read by `fetch`: an `EventSource` tells neither the id with which a stream
 * begins, from which another tab would go on, nor why it was refused, nor that a line went dead.
 */
import { EventFrames } from '../../bundle/event-frames.ts'
import type { LiveEvent } from './changes.ts'

/**
 * - `live`: what changes is heard
 * - `reconnecting`: the line is down, or was not there yet; what was missed comes once it is back
 * - `offline`: nobody answers
 * - `ended`: the server refuses: signed out, or no member any more
 */
export type LiveState = 'live' | 'reconnecting' | 'offline' | 'ended'

/** What listening needs of its surroundings. */
export interface StreamSource {
  /** Asks for the stream from behind `last` on, as `fetch` does. */
  open(last: string | undefined, signal: AbortSignal): Promise<Response>
  /** Waits so many milliseconds, less when there is reason to try at once. Ends with the signal. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Who is told. */
export interface StreamListener {
  heard(heard: LiveEvent): void
  /** Everything up to this revision was told. */
  moved(last: string): void
  state(state: LiveState): void
}

/** The server writes at least every 15 s; after so many ms without a byte the line is dead. */
const SILENCE = 35_000
const FIRST_RETRY = 2000
const LONGEST_RETRY = 30_000
/** So many attempts that nobody answered are a network that is down. */
const UNANSWERED = 2

/** Listens until the signal, or until the server refuses: then the state is `ended`. */
export async function listen(
  line: StreamSource,
  told: StreamListener,
  signal: AbortSignal,
  last?: string,
): Promise<void> {
  let retry = FIRST_RETRY
  for (let failed = 0, unanswered = 0; ; failed++) {
    if (failed > 0) {
      told.state(unanswered < UNANSWERED ? 'reconnecting' : 'offline')
      await line.pause(Math.min(retry * 2 ** (failed - 1), LONGEST_RETRY), signal)
    }
    if (signal.aborted) return
    unanswered++
    try {
      const response = await line.open(last, signal)
      unanswered = 0
      if (response.status === 401 || response.status === 403) return told.state('ended')
      if (!response.ok || !response.body) continue
      told.state('live')
      failed = 0
      for await (const { id, event, data, retry: after = retry } of frames(response.body, signal)) {
        retry = after
        if (id !== undefined) told.moved((last = id))
        if (data === undefined || last === undefined) continue
        if (event === 'change') told.heard({ event, id: last, change: JSON.parse(data) })
        else if (event === 'reset') told.heard({ event, id: last })
      }
    } catch {
      // Refused, broken or silent: all of it is told by the state.
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
