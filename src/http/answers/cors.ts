/** Browsers on other origins (CORS): they may call projects, bundles and events with an API token, never a cookie. */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './conditional.ts'

const PATHS = ['/api/projects', '/api/events']

/** Lets pages of some origins read answers. */
export class OriginPolicy {
  readonly #origins: '*' | ReadonlySet<string>

  constructor(origins: '*' | string[]) {
    this.#origins = origins === '*' ? '*' : new Set(origins)
  }

  /** Whether `request` is for projects, their bundles or events. */
  covers({ url }: FastifyRequest): boolean {
    return PATHS.some(path => {
      if (!url.startsWith(path)) return false
      const next = url[path.length]
      return next === '/' || next === undefined || next === '?'
    })
  }

  /** What {@link allow} depends on: equal strings, equal headers. */
  dependsOn({ headers }: IncomingMessage): string {
    return this.#origins === '*' ? '' : (headers.origin ?? '')
  }

  /** Lets the other site read the answer and its entity tag; never credentials, so that `*` is safe. */
  allow(reply: FastifyReply): void {
    reply.header('access-control-expose-headers', 'ETag')
    if (this.#origins === '*') {
      reply.header('access-control-allow-origin', '*')
      return
    }
    addVary(reply, 'Origin')
    const { origin } = reply.request.headers
    if (origin !== undefined && this.#origins.has(origin)) reply.header('access-control-allow-origin', origin)
  }

  /** Answers OPTIONS. Where other sites may call, it allows these methods and our headers for a day. */
  answerOptions(reply: FastifyReply, methods: string): void {
    if (this.covers(reply.request)) {
      reply
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', 'x-api-key, content-type, if-none-match, if-match, last-event-id')
        .header('access-control-max-age', '86400')
    }
    reply.code(204).send()
  }
}
