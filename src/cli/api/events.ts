/** Server-sent events (HTML Living Standard, 9.2) across reconnections: what comes while the line is down is told after. */
import { setTimeout as pause } from 'node:timers/promises'
import { EventFrames, type Frame } from '../../bundle/event-frames.ts'
import { Problem } from '../problem.ts'
import type { Reply } from './request.ts'
import type { Shape } from './shape.ts'

/** `id` is the revision up to which everything was told. */
export interface ServerEvent<T> {
  id: string
  /** `change`, or `reset`: what came since is unknown. */
  event: string
  /** Of a `change`; docs/live-events.md says what else it has. */
  data: T
}

type Open = (path: string, sending: { type: string; headers: Record<string, string> }) => Promise<Reply>

/** The server sends a comment at least every 15 s; after so many ms without one the line is dead. */
const SILENCE = 30_000
/** Before coming back, in ms, where the server does not say. */
const RETRY = 2000
/** The longest that a server may say, in ms. */
const LONGEST_RETRY = 60_000
/** Characters without the end of an event; a commit of 10,000 bundles has fewer. */
const MOST_CHARACTERS = 2 ** 24

/** What is listened to. */
interface Listening<T> {
  lastId?: string | undefined
  signal: AbortSignal
  /** Of the data of a `change`. */
  shape: Shape<T>
  /** The server, for messages. */
  where: string
}

/**
 * See the top of the file. Ends with the signal.
 * @throws Problem when the server refuses: the token, the project are gone
 */
export async function* serverEvents<T>(
  open: Open,
  path: string,
  { lastId, signal, shape, where }: Listening<T>,
): AsyncGenerator<ServerEvent<T>> {
  let [last, retry] = [lastId, RETRY]
  let listened = false
  for (let tried = 0; ; tried++) {
    if (tried > 0) await pause(retry, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) }
    const response = await open(path, { type: headers.accept, headers }).catch(error => {
      // A server that is started anew is waited for, one that never answered is not.
      if (listened && isPassing(error)) return undefined
      throw error
    })
    if (response === undefined) continue
    listened = true
    try {
      for await (const { id, data, event = 'message', retry: told } of frames(response, signal)) {
        if (id !== undefined) last = id
        if (told !== undefined) retry = Math.min(told, LONGEST_RETRY)
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
      // A line that broke is opened again.
    }
  }
}

/** Whether the server is away, and did not refuse. */
function isPassing(error: unknown): boolean {
  const { status = 503 } = (error instanceof Problem ? (error.where.data ?? {}) : { status: 0 }) as { status?: number }
  return status >= 500
}

/** The frames of an answer, until it ends or is silent for too long. @throws RangeError for a frame without an end */
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
      if (waiting > MOST_CHARACTERS) throw new RangeError('No event ends.')
      yield* found
    }
  } finally {
    clearTimeout(watch)
    signal.removeEventListener('abort', end)
    end()
  }
}
