/**
 * One log line per request: the route, never the URL, which may hold keys or credentials. Sixty refusals of a kind a
 * minute are written, the rest counted, so that strangers cannot fill the disk.
 */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Config } from '../../config.ts'
import type { Background, BackgroundTask } from '../../scheduling/background.ts'
import { routeOf } from './methods.ts'

declare module 'fastify' {
  interface FastifyRequest {
    refusal: string | null
  }
}

type OnResponse = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

const MINUTE_MS = 60_000
/** Lines a minute of one kind, and of all together. */
const LINES = 60
const ALL_LINES = 1000
/** Kinds counted separately in a minute; all others count as one. */
const MOST_KINDS = 500
/** Names in a path may be anything until they are checked. */
const LONGEST_NAME = 100

/** The hook that writes the lines. @param which as in Config @param background reports each minute what was left out */
export function logRequests(which: Config['logRequests'], background: Background): OnResponse {
  const sampling = new Sampling(background)
  return (request, reply, done) => {
    const { method } = request
    const failed = reply.statusCode >= 400
    const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
    if (which === 'all' || (failed && which !== 'none') || (!reads && which === 'writes')) {
      if (!failed || which === 'all' || sampling.takes(request, reply.statusCode)) {
        // Where the client is to come again, as while a database is away, nothing here is broken.
        const isFault = reply.statusCode >= 500 && !reply.hasHeader('retry-after')
        request.log[isFault ? 'error' : 'info'](lineOf(request, reply), 'request')
      }
    }
    done()
  }
}

function lineOf(request: FastifyRequest, reply: FastifyReply): object {
  const { caller, refusal } = request
  const line = {
    reqId: request.id,
    method: request.method,
    route: routeOf(request),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    caller: caller?.kind ?? null,
  }
  if (reply.statusCode < 400) return line
  const { slug, language, namespace } = Object(request.params) as Record<string, string | undefined>
  return {
    ...line,
    error: withoutTokens(refusal ?? undefined),
    organization: caller?.organization,
    token: caller?.kind === 'token' ? caller.name : undefined,
    project: withoutTokens(slug)?.slice(0, LONGEST_NAME),
    bundle: withoutTokens(language && [language, namespace].filter(Boolean).join('/'))?.slice(0, LONGEST_NAME),
  }
}

/** Sentences may quote a misplaced token: only the 8 characters that token lists show stay. */
function withoutTokens(text: string | undefined): string | undefined {
  return text?.replace(/(prl_[\w-]{4})[\w-]+/g, '$1…')
}

/** Counts this minute's refusals of a kind, and says whether one more is written. */
class Sampling {
  readonly #kinds = new Map<string, { count: number; lines: number; kind: object; log: FastifyRequest['log'] }>()
  #lines = 0
  readonly #reporting: BackgroundTask

  constructor(background: Background) {
    this.#reporting = background.task({ name: 'reporting refusals', run: () => this.#report() })
  }

  takes(request: FastifyRequest, status: number): boolean {
    const { method, caller } = request
    const kind = { method, route: routeOf(request), status, credential: caller?.id ?? null }
    let name = Object.values(kind).join(' ')
    if (!this.#kinds.has(name) && this.#kinds.size >= MOST_KINDS) name = ''
    if (this.#kinds.size === 0) this.#reporting.in(MINUTE_MS)
    const known = this.#kinds.get(name) ?? { count: 0, lines: 0, kind, log: request.log }
    this.#kinds.set(name, known)
    known.count++
    if (known.lines >= LINES || this.#lines >= ALL_LINES) return false
    this.#lines++
    known.lines++
    return true
  }

  #report(): void {
    for (const [name, { count, lines, kind, log }] of this.#kinds) {
      const leftOut = count - lines
      if (leftOut > 0) log.info({ ...(name && kind), leftOut }, 'requests refused, and not written one by one')
    }
    this.#kinds.clear()
    this.#lines = 0
  }
}
