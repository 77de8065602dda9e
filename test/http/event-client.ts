/** A client of live events that parses them as the HTML Living Standard, 9.2.6, and records why its stream ended. */
import { request as ask, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { eventually } from '../contract/server.ts'

/** An event as a browser dispatches it. */
export interface Received {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the answers of the server
  data: any
}

/** Parses events from chunks of any size. */
export class EventParser {
  readonly events: Received[] = []
  comments = 0
  /** The value that a browser would send as `Last-Event-ID`. */
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

/** A stream that is or was open. */
export class EventClient extends EventParser {
  readonly #request: ClientRequest
  status = 0
  headers: IncomingHttpHeaders = {}
  /**
   * `whole` after the last chunk of the server, `broken` after a lost connection, undefined while the stream is open.
   */
  ended: 'whole' | 'broken' | undefined
  /** The body of an answer that is no stream. */
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

  /** Waits for the first line of the stream, or for an answer that is no stream. */
  async opened(): Promise<this> {
    await eventually(() => this.ended !== undefined || this.lastId !== '' || this.events.length > 0)
    return this
  }

  /** Waits until `count` events have arrived. */
  async reaches(count: number): Promise<Received[]> {
    await eventually(() => this.events.length >= count || this.ended !== undefined)
    return this.events
  }

  close(): void {
    this.ended ??= 'whole'
    this.#request.destroy()
  }
}
