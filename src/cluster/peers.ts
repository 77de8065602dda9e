/** Tells the other nodes what was written, over connections that stay open. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { Position } from '../store/shared-log.ts'

/** Another node, as the list of nodes has it. */
export interface Peer {
  id: string
  url: string
}

/** What became of telling a node: it has heard, its process is gone, or it says nothing. */
export type Outcome = 'heard' | 'gone' | 'silent'

/** Where nodes tell each other, below NODE_URL. */
export const HEARD_PATH = '/cluster/heard'
/** Where a node asks another for an organization's repository; the id follows. */
export const REPOSITORIES_PATH = '/cluster/repositories/'
/** The node that is meant: another process may have come to its address. */
export const NODE_HEADER = 'parlance-node'

/** News that nobody waits for go along with others, or by themselves after so many milliseconds. */
const SOON_MS = 20
const NOTE_MS = 1000

/** One request at a time would make news wait for the slowest; more are no faster. */
const AT_ONCE = 4
const AGAIN_MS = 50
/** While a node seals what it is asked for. */
const SILENT_MS = 60_000

/** See the top of the file. */
export class Peers {
  readonly #secret: string
  readonly #agents = [new Agent({ keepAlive: true }), new TlsAgent({ keepAlive: true })] as const
  readonly #lines = new Map<string, Line>()

  constructor(secret: string) {
    this.#secret = secret
  }

  /** Tells a node how far a stream is; what waits for the same node goes together. @param until by `performance.now()` */
  tell(peer: Peer, stream: string, position: Position, until: number): Promise<Outcome> {
    return this.#line(peer, stream).tell(stream, position, until)
  }

  /** As {@link tell}, soon, and whatever becomes of it. */
  note(peer: Peer, stream: string, position: Position): void {
    void this.#line(peer, stream).note(stream, position)
  }

  #line(peer: Peer, stream: string): Line {
    // What must be caught up with before the answer is slower than what is only noted.
    const key = `${peer.id} ${stream === 'accounts'}`
    let line = this.#lines.get(key)
    if (line === undefined) {
      line = new Line((news, end) => this.#post(peer, news, end))
      this.#lines.set(key, line)
    }
    return line
  }

  /** Forgets nodes that are no more. */
  keep(peers: readonly Peer[]): void {
    const ids = new Set(peers.map(({ id }) => id))
    for (const key of this.#lines.keys()) if (!ids.has(key.split(' ')[0]!)) this.#lines.delete(key)
  }

  /** Opens a GET below a node's address. */
  get(peer: Peer, path: string, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = this.#open(peer, path, { method: 'GET', signal })
      sent.setTimeout(SILENT_MS, () => sent.destroy(new Error('It says nothing.')))
      sent.on('response', resolve).on('error', reject).end()
    })
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy()
  }

  async #post(peer: Peer, news: string, until: number): Promise<Outcome> {
    while (performance.now() < until) {
      const outcome = await this.#postOnce(peer, news, until)
      if (outcome !== 'again') return outcome
      await pause(AGAIN_MS)
    }
    return 'silent'
  }

  #postOnce(peer: Peer, news: string, until: number): Promise<Outcome | 'again'> {
    return new Promise(resolve => {
      const timeout = Math.max(1, Math.ceil(until - performance.now()))
      const sent = this.#open(peer, HEARD_PATH, { method: 'POST', timeout })
      sent.on('timeout', () => sent.destroy(new Error('It says nothing.')))
      sent.on('response', answer => {
        answer.resume()
        answer.on('error', () => resolve('again'))
        answer.on('end', () =>
          resolve(answer.statusCode === 204 ? 'heard' : answer.statusCode === 410 ? 'gone' : 'again'),
        )
      })
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'gone' : 'again'))
      sent.end(news)
    })
  }

  #open(peer: Peer, path: string, options: { method: string; signal?: AbortSignal; timeout?: number }) {
    const isTls = peer.url.startsWith('https:')
    const headers = { authorization: `Bearer ${this.#secret}`, [NODE_HEADER]: peer.id }
    const all = { ...options, headers, agent: this.#agents[isTls ? 1 : 0] }
    return (isTls ? tlsRequest : request)(`${peer.url}${path}`, all)
  }
}

/** What waits to be told to one node. */
class Line {
  readonly #post: (news: string, until: number) => Promise<Outcome>
  #news = new Map<string, Position>()
  /** Whether news that nobody waits for are about to go. */
  #isWaiting = false
  #waiting: ((outcome: Outcome) => void)[] = []
  #until = 0
  #running = 0

  constructor(post: (news: string, until: number) => Promise<Outcome>) {
    this.#post = post
  }

  tell(stream: string, position: Position, until: number): Promise<Outcome> {
    return new Promise(resolve => {
      this.#add(stream, position)
      this.#until = Math.max(this.#until, until)
      this.#waiting.push(resolve)
      if (this.#running < AT_ONCE) void this.#send()
    })
  }

  async note(stream: string, position: Position): Promise<void> {
    this.#add(stream, position)
    if (this.#isWaiting) return
    this.#isWaiting = true
    await pause(SOON_MS, undefined, { ref: false })
    this.#isWaiting = false
    if (this.#running < AT_ONCE) await this.#send()
  }

  #add(stream: string, { heard, there }: Position): void {
    const before = this.#news.get(stream)
    const position = { heard: Math.max(heard, before?.heard ?? 0), there: Math.max(there, before?.there ?? 0) }
    this.#news.set(stream, position)
  }

  async #send(): Promise<void> {
    this.#running++
    while (this.#news.size > 0) {
      const [news, waiting, until] = [this.#news, this.#waiting, this.#until || performance.now() + NOTE_MS]
      ;[this.#news, this.#waiting, this.#until] = [new Map(), [], 0]
      const text = [...news].map(([stream, { heard, there }]) => `${stream} ${heard} ${there}\n`).join('')
      const outcome = await this.#post(text, until).catch((): Outcome => 'silent')
      for (const resolve of waiting) resolve(outcome)
    }
    this.#running--
  }
}
