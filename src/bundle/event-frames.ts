/** Parses a stream of server-sent events (HTML Living Standard, 9.2.6). */
import { Splitter } from './splitter.ts'

/** The fields between two empty lines. Data may be absent: an id alone is a position in the stream. */
export interface Frame {
  id?: string
  event?: string
  data?: string
  /** Milliseconds before the client reconnects. */
  retry?: number
}

export class EventFrames {
  readonly #lines = new Splitter('\n')
  #frame: Frame = {}

  /** @returns the frames that this text completes */
  take(text: string): Frame[] {
    const whole: Frame[] = []
    for (const line of this.#lines.take(text).map(text => text.replace(/\r$/, ''))) {
      if (line !== '') takeLine(this.#frame, line)
      else {
        whole.push(this.#frame)
        this.#frame = {}
      }
    }
    return whole
  }
}

function takeLine(frame: Frame, line: string): void {
  const colon = line.indexOf(':')
  if (colon === 0) return
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'data') frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`
  else if (name === 'id') frame.id = value
  else if (name === 'event') frame.event = value
  else if (name === 'retry' && /^\d+$/.test(value)) frame.retry = Number(value)
}
