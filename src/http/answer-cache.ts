/**
 * Repeats answers to reads with API tokens, without routing, while the organization's state, which alone determines
 * them, is the same. Tokens are still verified and counted.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Caller, may } from '../auth/access.ts'
import { type ByteCache, byteCache } from '../scheduling/byte-cache.ts'
import type { Snapshot } from '../store/store.ts'
import { chosen } from './answers/encoding.ts'
import { STALE } from './answers/node-status.ts'
import { claimantOfCaller } from './bounds/body-memory.ts'
import type { RequestLimits } from './bounds/request-limits.ts'
import { ambiguity } from './requests/ambiguity.ts'
import { type Answered, count, type RequestCounts } from './requests/request-counts.ts'

declare module 'fastify' {
  interface FastifyInstance {
    answerCache: AnswerCache
  }
}

interface Table {
  state: Snapshot
  answers: Map<string, Answer>
  bytes: number
  /** Answers that found no room since the table was begun. */
  refused: number
}

interface Answer {
  etag: string
  counted: Answered
  /** Headers of the 304. */
  unchanged: Coded<string[]>
  whole: Coded<Whole>
}

/** By the coding asked for. */
type Coded<T> = Partial<Record<'br' | 'gzip' | 'identity', T>>

const codingOf = ({ headers }: IncomingMessage) => chosen(headers['accept-encoding']) ?? 'identity'

interface Whole {
  headers: string[]
  bytes: () => Buffer | undefined
  /** Whether headers hold the content length: from the second answer on. */
  sized: boolean
}

/** Bytes of an answer's entry. All answers share the strings of its headers. */
const ANSWER_SIZE = 1200
/** Refusals for each answer of a full table before the table is emptied. */
const PATIENCE = 16
const MOST_URL = 1024

type Parts = Pick<FastifyInstance, 'auth' | 'store' | 'answers'>

interface Options {
  /** Bytes of all stored answers. */
  limitBytes: number
  counts: RequestCounts
  limits: RequestLimits | undefined
  /** What the headers depend on beside the URL. */
  dependsOn: (request: IncomingMessage) => string
}

export class AnswerCache {
  readonly #tables: ByteCache<Table>
  readonly #parts: Parts
  readonly #options: Options

  constructor(parts: Parts, options: Options) {
    this.#parts = parts
    this.#options = options
    this.#tables = byteCache(options.limitBytes)
  }

  /** Stores an answer about to be sent, if only the organization's state determines it. @param again finds its body */
  keep(reply: FastifyReply, etag: string, again?: () => Buffer | undefined): void {
    const { state, caller, raw, routeOptions } = reply.request
    if (
      reply.hasHeader(STALE) ||
      state === null ||
      caller?.kind !== 'token' ||
      raw.method !== 'GET' ||
      raw.url!.length > MOST_URL
    )
      return
    const { organization } = caller
    if (state !== this.#parts.store.snapshot(organization)) return
    let table = this.#tables.get(organization)
    if (table?.state !== state) table = { state, answers: new Map(), bytes: 0, refused: 0 }
    const key = this.#key(raw, caller)
    let answer = table.answers.get(key)
    if (answer === undefined) {
      const bytes = table.bytes + ANSWER_SIZE + key.length
      // When not all fits, a part stays and is found. What was read only once goes some time.
      if (bytes > this.#options.limitBytes && table.refused++ < table.answers.size * PATIENCE) return
      answer = { etag, counted: this.#options.counts.of(routeOptions.url!, 'GET'), unchanged: {}, whole: {} }
      table.answers.set(key, answer)
      table.bytes = bytes
      // Overwriting would retain the old size.
      this.#tables.delete(organization)
      this.#tables.set(organization, table, { size: table.bytes })
    }
    const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) => [name, String(value)])
    if (again) answer.whole[codingOf(raw)] = { headers, bytes: again, sized: false }
    else answer.unchanged[codingOf(raw)] = headers
  }

  /** Answers before the routes see the request. @returns false when nothing was sent or counted */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    const { headers, method } = request
    const key = headers['x-api-key']
    if (method !== 'GET' || typeof key !== 'string' || headers.host === undefined) return false
    if (ambiguity(request) !== undefined) return false
    const from = performance.now()
    const { auth, store, answers } = this.#parts
    const caller = auth.tokens.verify(key)
    if (caller === undefined || !may(caller, 'read')) return false
    const table = this.#tables.get(caller.organization)
    if (table === undefined || table.state !== store.snapshot(caller.organization)) return false
    const answer = table.answers.get(this.#key(request, caller))
    if (answer === undefined) return false
    const known = headers['if-none-match']
    const isKnown = known === answer.etag
    if (known !== undefined && !isKnown) return false
    const coding = codingOf(request)
    const whole = isKnown ? undefined : answer.whole[coding]
    const list = isKnown ? answer.unchanged[coding] : whole?.headers
    const bytes = whole && found(whole)
    if (list === undefined || (!isKnown && bytes === undefined)) return false
    if (this.#options.limits?.excess(caller, 'read')) return false
    if (bytes === undefined) {
      response.writeHead(304, list).end()
      count(answer.counted, 304, performance.now() - from)
      return true
    }
    if (!whole!.sized) {
      list.push('content-length', String(bytes.length))
      whole!.sized = true
    }
    answers.hold(claimantOfCaller(caller), response, bytes)
    response.writeHead(200, list).end(bytes)
    const counts = () => count(answer.counted, 200, performance.now() - from)
    // The system mostly has it all by now; an event costs as much as finding the answer.
    if (request.socket.writableLength === 0) counts()
    else response.once('finish', counts)
    return true
  }

  /** Mostly the URL itself: another string costs as much as the look-up. Tokens of the same projects share answers. */
  #key(request: IncomingMessage, { projects }: Caller): string {
    const others = this.#options.dependsOn(request)
    const url = projects === undefined ? request.url! : `${projects}\n${request.url}`
    return others === '' ? url : `${others} ${url}`
  }
}

/** A failing disk is reported by the routes. */
function found({ bytes }: Whole): Buffer | undefined {
  try {
    return bytes()
  } catch {
    return undefined
  }
}
