/** Counts each route's answers by method and class of status, with their times. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Durations } from '../../store/durations.ts'
import { STATUS } from '../answers/errors.ts'
import { routeOf } from './methods.ts'

/** The answers of one route to one method. */
export interface Answered {
  /** The pattern; `unknown` for paths without a route. */
  readonly route: string
  readonly method: string
  /** Answers by the first digit of their status. */
  readonly classes: number[]
  /** From the headers' arrival to the last byte given to the system. */
  readonly durations: Durations
}

export class RequestCounts {
  readonly #answered = new Map<string, Answered>()
  /** Refused requests by reason. */
  readonly refusals = new Map<string, number>()

  /** Counts the answers of `app`. */
  watch(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      this.#count(routeOf(request) ?? 'unknown', reply)
      done()
    })
  }

  /** Counts an answer without hooks, before it is sent. */
  unknown(reply: FastifyReply): void {
    reply.raw.once('finish', () => this.#count('unknown', reply))
  }

  /** What was counted so far. */
  all(): Answered[] {
    return [...this.#answered.values()].filter(({ classes }) => classes.some(count => count > 0))
  }

  /** The counter of a route's answers to a method. */
  of(route: string, method: string): Answered {
    const key = `${method} ${route}`
    let answered = this.#answered.get(key)
    if (answered === undefined) {
      answered = { route, method, classes: [0, 0, 0, 0, 0, 0], durations: new Durations() }
      this.#answered.set(key, answered)
    }
    return answered
  }

  #count(route: string, { request, statusCode, elapsedTime }: FastifyReply): void {
    // Unknown methods are one, as callers may invent some.
    const method = KNOWN.has(request.method) ? request.method : 'other'
    count(this.of(route, method), statusCode, elapsedTime)
    if (statusCode < 400) return
    const reason = REASONS.get(statusCode) ?? 'other'
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1)
  }
}

/** Refusals' reasons: the failure's code, or what else the server, Node or Fastify answer. */
const REASONS = new Map<number, string>([
  ...Object.entries(STATUS).map(([code, status]) => [status, code] as const),
  [405, 'method'],
  [414, 'path-too-long'],
  [500, 'failed'],
])

const KNOWN = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** @param milliseconds from the headers' arrival on */
export function count({ classes, durations }: Answered, status: number, milliseconds: number): void {
  classes[Math.trunc(status / 100)]!++
  durations.add(milliseconds)
}
