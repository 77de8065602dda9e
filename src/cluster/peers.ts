/** Tells the other nodes what was written, over connections that stay open. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { further } from './cluster-log.ts'
import { ACCOUNTS, type News } from './stream-positions.ts'

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

/** For news that nobody waits for. */
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
  tell(peer: Peer, stream: string, news: News, until: number): Promise<Outcome> {
    return this.#line(peer, stream).tell(stream, news, until)
  }

  /** As {@link tell}, whatever becomes of it. */
  note(peer: Peer, stream: string, news: News): void {
    void this.#line(peer, stream).note(stream, news)
  }

  #line(peer: Peer, stream: string): Line {
    // What must be caught up with before the answer is slower than what is only noted.
    const key = `${peer.id} ${stream === ACCOUNTS}`
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

/** A line for each stream; {@link readNews} reads it. A node of a version without windows takes `Infinity` as it is. */
function written(all: ReadonlyMap<string, News>): string {
  const line = ([stream, { heard, there, window }]: [string, News]) =>
    window
      ? `${stream} ${window.isOpen ? 'Infinity' : heard} ${there} ${window.sender} ${window.count}\n`
      : `${stream} ${heard} ${there}\n`
  return [...all].map(line).join('')
}

/** What {@link Peers.tell} sends. */
export function readNews(text: string): Map<string, News> {
  const lines = text.split('\n').filter(line => line !== '')
  return new Map(
    lines.map(line => {
      // A node of a version before says no third thing, or no fourth.
      const [stream = '', heard, there = heard, sender, count] = line.split(' ')
      const isOpen = heard === 'Infinity'
      const position = { heard: Number(isOpen ? there : heard), there: Number(there) }
      return [stream, sender ? { ...position, window: { sender, count: Number(count), isOpen } } : position]
    }),
  )
}

/** What waits to be told to one node. */
class Line {
  readonly #post: (news: string, until: number) => Promise<Outcome>
  #news = new Map<string, News>()
  #isWaiting = false
  #waiting: ((outcome: Outcome) => void)[] = []
  #until = 0
  #running = 0

  constructor(post: (news: string, until: number) => Promise<Outcome>) {
    this.#post = post
  }

  tell(stream: string, news: News, until: number): Promise<Outcome> {
    return new Promise(resolve => {
      this.#add(stream, news)
      this.#until = Math.max(this.#until, until)
      this.#waiting.push(resolve)
      if (this.#running < AT_ONCE) void this.#send()
    })
  }

  async note(stream: string, news: News): Promise<void> {
    this.#add(stream, news)
    if (this.#isWaiting) return
    this.#isWaiting = true
    // What is noted in one turn goes together.
    await undefined
    this.#isWaiting = false
    if (this.#running < AT_ONCE) await this.#send()
  }

  #add(stream: string, news: News): void {
    const before = this.#news.get(stream)
    this.#news.set(stream, before ? { ...before, ...news, ...further(before, news) } : news)
  }

  async #send(): Promise<void> {
    this.#running++
    while (this.#news.size > 0) {
      const [news, waiting, until] = [this.#news, this.#waiting, this.#until || performance.now() + NOTE_MS]
      ;[this.#news, this.#waiting, this.#until] = [new Map(), [], 0]
      const outcome = await this.#post(written(news), until).catch((): Outcome => 'silent')
      for (const resolve of waiting) resolve(outcome)
    }
    this.#running--
  }
}
