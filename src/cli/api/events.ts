/** Server-sent events (HTML Living Standard, 9.2). After a reconnection the server sends the missed events. */
import { setTimeout as pause } from 'node:timers/promises'
import { EventFrames, type Frame } from '../../bundle/event-frames.ts'
import { Problem } from '../problem.ts'
import type { Reply } from './request.ts'
import type { Shape } from './shape.ts'

/** An event. Its `id` is the revision of the newest change in it. */
export interface ServerEvent<T> {
  id: string
  /** `change`, or `reset` if the missed events are unknown. */
  event: string
  /** The data of a `change`: see docs/live-events.md. */
  data: T
}

type Open = (path: string, sending: { type: string; headers: Record<string, string> }) => Promise<Reply>

/** Milliseconds without a byte before a reconnection. The server sends a comment at least every 15 s. */
const SILENCE = 30_000
/** Milliseconds before a reconnection, unless the server sends another time. */
const RETRY = 2000
/** Maximum milliseconds that a server may set. */
const MAX_RETRY = 60_000
/** Maximum characters of an event. A commit of 10,000 bundles has fewer. */
const MAX_CHARACTERS = 2 ** 24

interface EventOptions<T> {
  lastId?: string | undefined
  signal: AbortSignal
  /** The shape of the data of a `change`. */
  shape: Shape<T>
  /** The server, for messages. */
  where: string
}

/**
 * Yields events until the signal.
 * @throws Problem if the server refuses, as after the removal of the token or the project
 */
export async function* serverEvents<T>(
  open: Open,
  path: string,
  { lastId, signal, shape, where }: EventOptions<T>,
): AsyncGenerator<ServerEvent<T>> {
  let [last, retry] = [lastId, RETRY]
  let listened = false
  for (let tried = 0; ; tried++) {
    if (tried > 0) await pause(retry, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) }
    const response = await open(path, { type: headers.accept, headers }).catch(error => {
      // A server that answered before may be restarting.
      if (listened && isPassing(error)) return undefined
      throw error
    })
    if (response === undefined) continue
    listened = true
    try {
      for await (const { id, data, event = 'message', retry: requested } of frames(response, signal)) {
        if (id !== undefined) last = id
        if (requested !== undefined) retry = Math.min(requested, MAX_RETRY)
        if (data === undefined) continue
        const value: unknown = JSON.parse(data)
        const fault = event === 'change' ? shape(value, '') : undefined
        if (fault !== undefined) throw new Problem(`${where} sends an event that is none of Parlance: ${fault}.`)
        yield { id: last ?? '', event, data: value as T }
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw new Problem(`An event of ${where} is no JSON.`, { cause: error })
      if (error instanceof RangeError) throw new Problem(`An event of ${where} has no end.`, { cause: error })
      if (error instanceof Problem) throw error
      // A broken connection is opened again.
    }
  }
}

/** Whether the server is unreachable, rather than refusing. */
function isPassing(error: unknown): boolean {
  const { status = 503 } = (error instanceof Problem ? (error.where.data ?? {}) : { status: 0 }) as { status?: number }
  return status >= 500
}

/** The frames of an answer, until its end or a long silence. @throws RangeError for a frame without an end */
async function* frames({ body }: Reply, signal: AbortSignal): AsyncGenerator<Frame> {
  const end = () => void body.destroy()
  let watch = setTimeout(end, SILENCE)
  signal.addEventListener('abort', end)
  try {
    const whole = new EventFrames()
    let waiting = 0
    for await (const text of body.setEncoding('utf8')) {
      clearTimeout(watch)
      watch = setTimeout(end, SILENCE)
      const found = whole.take(text)
      waiting = found.length > 0 ? 0 : waiting + text.length
      if (waiting > MAX_CHARACTERS) throw new RangeError('No event ends.')
      yield* found
    }
  } finally {
    clearTimeout(watch)
    signal.removeEventListener('abort', end)
    end()
  }
}
