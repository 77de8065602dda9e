/** A client of live events that reads them by the letter of the HTML Living Standard, 9.2.6, and knows why it ended. */
import { request as ask, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { eventually } from '../contract/server.ts'

/** An event as a browser dispatches it. */
export interface Received {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests judge what the server says
  data: any
}

/** Reads events out of chunks, wherever they are cut. */
export class EventParser {
  readonly events: Received[] = []
  comments = 0
  /** What a browser would send as `Last-Event-ID`. */
  lastId = ''
  retry: number | undefined
  #rest = ''
  #id = ''
  #event = ''
  #data = ''

  take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) this.#line(line)
  }

  #line(line: string): void {
    if (line === '') this.#dispatch()
    if (line.startsWith(':')) this.comments++
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line)!
    if (field === 'id') this.#id = value
    if (field === 'event') this.#event = value
    if (field === 'data') this.#data += `${value}\n`
    if (field === 'retry') this.retry = Number(value)
  }

  #dispatch(): void {
    this.lastId = this.#id
    if (this.#data !== '') this.events.push({ id: this.#id, event: this.#event, data: JSON.parse(this.#data) })
    this.#event = this.#data = ''
  }
}

/** A stream that is open, or has been. */
export class EventClient extends EventParser {
  readonly #request: ClientRequest
  status = 0
  headers: IncomingHttpHeaders = {}
  /** How it ended: by the server's last chunk, by a broken connection; undefined while it goes on. */
  ended: 'whole' | 'broken' | undefined
  /** Of an answer that is no stream. */
  text = ''
  response: IncomingMessage | undefined

  /** @param agent by default each stream has a connection of its own */
  constructor(base: string, path: string, headers: Record<string, string>) {
    super()
    this.#request = ask(`${base}${path}`, { headers, agent: false })
    this.#request.on('response', response => {
      this.response = response
      this.status = response.statusCode!
      this.headers = response.headers
      const isStream = response.headers['content-type'] === 'text/event-stream'
      response.setEncoding('utf8').on('data', chunk => {
        if (isStream) this.take(chunk)
        else this.text += chunk
      })
      response.on('close', () => (this.ended ??= response.complete ? 'whole' : 'broken'))
      response.on('error', () => (this.ended ??= 'broken'))
    })
    this.#request.on('error', () => (this.ended ??= 'broken'))
    this.#request.end()
  }

  /** The ids of its events. */
  get ids(): string[] {
    return this.events.map(({ id }) => id)
  }

  /** Waits for its first line, or for the answer that is none. */
  async opened(): Promise<this> {
    await eventually(() => this.ended !== undefined || this.lastId !== '' || this.events.length > 0)
    return this
  }

  /** Waits for so many events. */
  async reaches(count: number): Promise<Received[]> {
    await eventually(() => this.events.length >= count || this.ended !== undefined)
    return this.events
  }

  close(): void {
    this.ended ??= 'whole'
    this.#request.destroy()
  }
}
