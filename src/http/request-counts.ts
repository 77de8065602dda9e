/** Counts the answers of every route: how many by method and class of status, and how long they took. Of names and ids nothing is kept. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { Durations } from '../store/durations.ts'
import { STATUS } from './errors.ts'

/** What was answered at one route to one method. */
export interface Answered {
  /** The pattern of the route; `unknown` for paths that no route has. */
  readonly route: string
  readonly method: string
  /** How many answers by the first digit of their status. */
  readonly classes: number[]
  /** From the arrival of the headers to the last byte that was handed to the system. */
  readonly durations: Durations
}

/** See the top of the file. */
export class RequestCounts {
  readonly #answered = new Map<string, Answered>()

  /** Counts the routes that are added to `app` from now on. Each gets a counter of its own, so that no request looks for one. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', route => {
      const methods = new Map([route.method].flat().map(method => [method, this.#of(route.url, method)]))
      const only = methods.size === 1 ? [...methods.values()][0] : undefined
      const hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
        count(only ?? methods.get(request.method)!, reply.statusCode, reply.elapsedTime)
        if (reply.statusCode >= 400) this.refused(reply.statusCode)
        done()
      }
      route.onResponse = [hook, ...[route.onResponse ?? []].flat()]
    })
  }

  /** Counts an answer that no route gives, before it is sent. The method is the caller's own word, so that only known ones are told apart. */
  unknown(request: FastifyRequest, reply: FastifyReply): void {
    const method = KNOWN.has(request.method) ? request.method : 'other'
    reply.raw.once('finish', () => {
      count(this.#of('unknown', method), reply.statusCode, reply.elapsedTime)
      this.refused(reply.statusCode)
    })
  }

  /** How many requests were refused, by the reason. */
  readonly refusals = new Map<string, number>()

  /** Counts a refusal; it has no more reasons than the API has statuses. */
  refused(status: number): void {
    const reason = REASONS.get(status) ?? 'other'
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1)
  }

  /** Where the answers of a route to GET are counted. */
  ofReads(route: string): Answered {
    return this.#of(route, 'GET')
  }

  /** What was counted so far, without what was never asked for. */
  all(): Answered[] {
    return [...this.#answered.values()].filter(({ classes }) => classes.some(count => count > 0))
  }

  #of(route: string, method: string): Answered {
    const key = `${method} ${route}`
    let answered = this.#answered.get(key)
    if (answered === undefined) {
      answered = { route, method, classes: [0, 0, 0, 0, 0, 0], durations: new Durations() }
      this.#answered.set(key, answered)
    }
    return answered
  }
}

/** Why a request is refused, as the metrics name it: the failure's code, and what else the server, Node and Fastify answer. */
const REASONS = new Map<number, string>([
  ...Object.entries(STATUS).map(([code, status]) => [status, code] as const),
  [405, 'method'],
  [414, 'path-too-long'],
  [500, 'failed'],
])

const KNOWN = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts one answer. @param milliseconds from the arrival of the headers on */
export function count({ classes, durations }: Answered, status: number, milliseconds: number): void {
  classes[Math.trunc(status / 100)]!++
  durations.add(milliseconds)
}
