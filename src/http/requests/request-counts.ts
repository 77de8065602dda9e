/** Counts each route's answers by method and class of status, with their times. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { Durations } from '../../store/durations.ts'
import { STATUS } from '../answers/errors.ts'

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

  /** Counts routes added to `app` from now on, each in its own counter, so that requests need not look for it. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', route => {
      const methods = new Map([route.method].flat().map(method => [method, this.of(route.url, method)]))
      const hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
        count(methods.get(request.method)!, reply.statusCode, reply.elapsedTime)
        if (reply.statusCode >= 400) this.refused(reply.statusCode)
        done()
      }
      route.onResponse = [hook, ...[route.onResponse ?? []].flat()]
    })
  }

  /** Counts an answer outside of all routes, before it is sent. Unknown methods are one, as callers may invent some. */
  unknown(reply: FastifyReply): void {
    const { method: asked } = reply.request
    const method = KNOWN.has(asked) ? asked : 'other'
    reply.raw.once('finish', () => {
      count(this.of('unknown', method), reply.statusCode, reply.elapsedTime)
      this.refused(reply.statusCode)
    })
  }

  /** Refused requests by reason. */
  readonly refusals = new Map<string, number>()

  /** Counts a refusal. */
  refused(status: number): void {
    const reason = REASONS.get(status) ?? 'other'
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1)
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
