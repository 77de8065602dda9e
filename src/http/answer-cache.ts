/**
 * Reads with an API token, answered again. As long as the state of an organization is the same, so are the answers that it alone tells:
 * what was said once is said again, without routing and looking up. The token is verified, and counted, each time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { may } from '../auth/access.ts'
import type { Auth } from '../auth/auth.ts'
import { type ByteCache, byteCache } from '../byte-cache.ts'
import type { ReadOnlyStore, Snapshot } from '../store/store.ts'
import { ambiguity } from './ambiguity.ts'
import type { AnswerMemory } from './answer-memory.ts'
import { takerOfCaller } from './body-memory.ts'
import { chosen } from './encoding.ts'
import { type Answered, count, type RequestCounts } from './request-counts.ts'
import type { RequestLimits } from './request-limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    answerCache: AnswerCache
  }
}

/** What was answered in one state of an organization, by what the answers go by. */
interface Table {
  state: Snapshot
  answers: Map<string, Answer>
  bytes: number
  /** How many answers found no room since the table was begun. */
  refused: number
}

/** What was answered at one URL. */
interface Answer {
  etag: string
  counted: Answered
  /** The headers of the 304. */
  unchanged?: string[]
  /** The 200s by the coding that was asked for. */
  whole: Partial<Record<'br' | 'gzip' | 'identity', Whole>>
}

interface Whole {
  headers: string[]
  bytes: () => Buffer | undefined
  /** Whether the headers tell how many bytes there are: from the second time on. */
  sized: boolean
}

/** With its headers, which are the same strings in all of them. */
const ANSWER_SIZE = 1200
/** A full table is begun anew after so many times as many others as it holds. */
const PATIENCE = 16
/** Longer ones are no one's daily reads. */
const MOST_URL = 1024

/** See the top of the file. */
export class AnswerCache {
  /** By organization. */
  readonly #tables: ByteCache<Table>
  readonly #options

  /** @param options `limitBytes` for all; `dependsOn` tells what the headers go by beside the URL */
  constructor(options: {
    limitBytes: number
    auth: Auth
    store: ReadOnlyStore
    counts: RequestCounts
    limits: RequestLimits | undefined
    answers: AnswerMemory
    dependsOn: (request: IncomingMessage) => string
  }) {
    this.#options = options
    this.#tables = byteCache(options.limitBytes)
  }

  /** Keeps an answer that is about to be sent, if the state of an organization alone tells it. @param again where its body is found next time; a 304 has none */
  keep(request: FastifyRequest, reply: FastifyReply, etag: string, again?: () => Buffer | undefined): void {
    const { state, caller, raw } = request
    if (state === null || caller?.kind !== 'token' || raw.method !== 'GET' || raw.url!.length > MOST_URL) return
    const { organization } = caller
    const { store, counts } = this.#options
    if (state !== store.snapshot(organization)) return
    let table = this.#tables.get(organization)
    if (table?.state !== state) table = { state, answers: new Map(), bytes: 0, refused: 0 }
    const key = this.#key(raw)
    let answer = table.answers.get(key)
    if (answer === undefined) {
      const bytes = table.bytes + ANSWER_SIZE + key.length
      // Who reads more in turn than there is room for finds a part of it. What has been read only once goes some time.
      if (bytes > this.#options.limitBytes && table.refused++ < table.answers.size * PATIENCE) return
      answer = { etag, counted: counts.ofReads(request.routeOptions.url!), whole: {} }
      table.answers.set(key, answer)
      table.bytes = bytes
      // Set over itself, it would keep its old size.
      this.#tables.delete(organization)
      this.#tables.set(organization, table, { size: table.bytes })
    }
    const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) => [name, String(value)])
    if (again)
      answer.whole[chosen(raw.headers['accept-encoding']) ?? 'identity'] = { headers, bytes: again, sized: false }
    else answer.unchanged = headers
  }

  /** Answers a request if it can, before the routes see it. @returns whether it did; if not, nothing was sent or counted */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    const { headers, method } = request
    const key = headers['x-api-key']
    if (method !== 'GET' || typeof key !== 'string' || headers.host === undefined) return false
    if (ambiguity(request) !== undefined) return false
    const from = performance.now()
    const { auth, store, limits } = this.#options
    const caller = auth.tokens.verify(key)
    if (caller === undefined || !may(caller, 'read')) return false
    const table = this.#tables.get(caller.organization)
    if (table === undefined || table.state !== store.snapshot(caller.organization)) return false
    const answer = table.answers.get(this.#key(request))
    if (answer === undefined) return false
    const known = headers['if-none-match']
    const isKnown = known === answer.etag
    // What else may match, the routes understand.
    if (known !== undefined && !isKnown) return false
    const whole = isKnown ? undefined : answer.whole[chosen(headers['accept-encoding']) ?? 'identity']
    const list = isKnown ? answer.unchanged : whole?.headers
    const bytes = whole && found(whole)
    if (list === undefined || (!isKnown && bytes === undefined)) return false
    if (limits?.excess(caller, 'read')) return false
    if (bytes === undefined) {
      response.writeHead(304, list).end()
      count(answer.counted, 304, performance.now() - from)
      return true
    }
    if (!whole!.sized) {
      list.push('content-length', String(bytes.length))
      whole!.sized = true
    }
    this.#options.answers.hold(takerOfCaller(caller), response, bytes)
    response.writeHead(200, list).end(bytes)
    const counts = () => count(answer.counted, 200, performance.now() - from)
    // Mostly the system has it all by now; an event for that costs as much as looking up the answer.
    if (request.socket.writableLength === 0) counts()
    else response.once('finish', counts)
    return true
  }

  /** Mostly the URL as it came: making another string of it takes as long as looking it up. */
  #key(request: IncomingMessage): string {
    const others = this.#options.dependsOn(request)
    return others === '' ? request.url! : `${others} ${request.url}`
  }
}

/** A disk that fails is for the routes to tell. */
function found({ bytes }: Whole): Buffer | undefined {
  try {
    return bytes()
  } catch {
    return undefined
  }
}
