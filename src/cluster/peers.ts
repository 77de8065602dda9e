/** Sends announcements to the other nodes over connections that stay open. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { furthest } from './cluster-log.ts'
import { ACCOUNTS, type StreamNews } from './stream-positions.ts'

/** Another node, as the list of nodes has it. */
export interface Peer {
  id: string
  url: string
}

/** The result of an announcement: the node has heard, its process is gone, or it does not answer. */
export type PeerAnswer = 'heard' | 'gone' | 'silent'

/** The path of announcements below NODE_URL. */
export const HEARD_PATH = '/cluster/heard'
/** The path of an organization's repository; the id follows. */
export const REPOSITORIES_PATH = '/cluster/repositories/'
/** The addressed node: another process may have its address now. */
export const NODE_HEADER = 'parlance-node'

/** For news without a waiting caller. */
const NOTE_MS = 1000

/** Requests at once. With one, news would wait for the slowest; more are no faster. */
const AT_ONCE = 4
const AGAIN_MS = 50
/** While a node seals what it is asked for. */
const SILENT_MS = 60_000

/** See the top of the file. */
export class Peers {
  readonly #secret: string
  readonly #agents = [new Agent({ keepAlive: true }), new TlsAgent({ keepAlive: true })] as const
  readonly #queues = new Map<string, PeerQueue>()

  constructor(secret: string) {
    this.#secret = secret
  }

  /** Announces a position to a node. Waiting announcements share a request. @param until by `performance.now()` */
  announce(peer: Peer, stream: string, news: StreamNews, until: number): Promise<PeerAnswer> {
    return this.#queue(peer, stream).announce(stream, news, until)
  }

  /** As {@link announce}, without an answer. */
  announceLater(peer: Peer, stream: string, news: StreamNews): void {
    void this.#queue(peer, stream).note(stream, news)
  }

  #queue(peer: Peer, stream: string): PeerQueue {
    // What must be caught up with before the answer is slower than what is only noted.
    const key = `${peer.id} ${stream === ACCOUNTS}`
    let line = this.#queues.get(key)
    if (line === undefined) {
      line = new PeerQueue((news, end) => this.#post(peer, news, end))
      this.#queues.set(key, line)
    }
    return line
  }

  /** Forgets nodes that are no more. */
  retain(peers: readonly Peer[]): void {
    const ids = new Set(peers.map(({ id }) => id))
    for (const key of this.#queues.keys()) if (!ids.has(key.split(' ')[0]!)) this.#queues.delete(key)
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

  async #post(peer: Peer, news: string, until: number): Promise<PeerAnswer> {
    while (performance.now() < until) {
      const outcome = await this.#postOnce(peer, news, until)
      if (outcome !== 'again') return outcome
      await pause(AGAIN_MS)
    }
    return 'silent'
  }

  #postOnce(peer: Peer, news: string, until: number): Promise<PeerAnswer | 'again'> {
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

/**
 * A line for each stream; {@link readNews} reads it. A node of a version without windows reads `Infinity` as a number.
 */
function renderNews(all: ReadonlyMap<string, StreamNews>): string {
  const line = ([stream, { announced, committed, window }]: [string, StreamNews]) =>
    window
      ? `${stream} ${window.isOpen ? 'Infinity' : announced} ${committed} ${window.sender} ${window.count}\n`
      : `${stream} ${announced} ${committed}\n`
  return [...all].map(line).join('')
}

/** What {@link Peers.announce} sends. */
export function readNews(text: string): Map<string, StreamNews> {
  const lines = text.split('\n').filter(line => line !== '')
  return new Map(
    lines.map(line => {
      // A node of a version before says no third thing, or no fourth.
      const [stream = '', announced, committed = announced, sender, count] = line.split(' ')
      const isOpen = announced === 'Infinity'
      const position = { announced: Number(isOpen ? committed : announced), committed: Number(committed) }
      return [stream, sender ? { ...position, window: { sender, count: Number(count), isOpen } } : position]
    }),
  )
}

/** Announcements that wait for one node. */
class PeerQueue {
  readonly #post: (news: string, until: number) => Promise<PeerAnswer>
  #news = new Map<string, StreamNews>()
  #isWaiting = false
  #waiting: ((outcome: PeerAnswer) => void)[] = []
  #until = 0
  #running = 0

  constructor(post: (news: string, until: number) => Promise<PeerAnswer>) {
    this.#post = post
  }

  announce(stream: string, news: StreamNews, until: number): Promise<PeerAnswer> {
    return new Promise(resolve => {
      this.#add(stream, news)
      this.#until = Math.max(this.#until, until)
      this.#waiting.push(resolve)
      if (this.#running < AT_ONCE) void this.#send()
    })
  }

  async note(stream: string, news: StreamNews): Promise<void> {
    this.#add(stream, news)
    if (this.#isWaiting) return
    this.#isWaiting = true
    // What is noted in one turn goes together.
    await undefined
    this.#isWaiting = false
    if (this.#running < AT_ONCE) await this.#send()
  }

  #add(stream: string, news: StreamNews): void {
    const before = this.#news.get(stream)
    this.#news.set(stream, before ? { ...before, ...news, ...furthest(before, news) } : news)
  }

  async #send(): Promise<void> {
    this.#running++
    while (this.#news.size > 0) {
      const [news, waiting, until] = [this.#news, this.#waiting, this.#until || performance.now() + NOTE_MS]
      ;[this.#news, this.#waiting, this.#until] = [new Map(), [], 0]
      const outcome = await this.#post(renderNews(news), until).catch((): PeerAnswer => 'silent')
      for (const resolve of waiting) resolve(outcome)
    }
    this.#running--
  }
}
