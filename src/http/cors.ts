/** Browsers on other origins (the Fetch standard's CORS protocol): apps may call projects and bundles with an API token, never with a cookie. */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './conditional.ts'

const PROJECTS = '/api/projects'

/** Lets the pages of some origins read the answers. */
export class OriginPolicy {
  readonly #origins: '*' | ReadonlySet<string>

  constructor(origins: '*' | string[]) {
    this.#origins = origins === '*' ? '*' : new Set(origins)
  }

  /** Whether this policy is about the path of `request`: projects and their bundles, and nothing else. */
  covers({ url }: FastifyRequest): boolean {
    if (!url.startsWith(PROJECTS)) return false
    const next = url[PROJECTS.length]
    return next === '/' || next === undefined || next === '?'
  }

  /** What {@link allow} goes by: equal words, equal headers. */
  dependsOn({ headers }: IncomingMessage): string {
    return this.#origins === '*' ? '' : (headers.origin ?? '')
  }

  /** Allows the page that asks to read the answer and its entity tag; never credentials, so that `*` is safe. */
  allow(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('access-control-expose-headers', 'ETag')
    if (this.#origins === '*') {
      reply.header('access-control-allow-origin', '*')
      return
    }
    addVary(reply, 'Origin')
    const { origin } = request.headers
    if (origin !== undefined && this.#origins.has(origin)) reply.header('access-control-allow-origin', origin)
  }

  /** Answers a preflight: these methods, our headers, for a day. Whom it allows, {@link allow} has said. */
  answerPreflight(reply: FastifyReply, methods: string[]): FastifyReply {
    return reply
      .header('access-control-allow-methods', methods.join(', '))
      .header('access-control-allow-headers', 'x-api-key, content-type, if-none-match, if-match')
      .header('access-control-max-age', '86400')
      .header('allow', methods.join(', '))
      .code(204)
      .send()
  }
}
