/** Limits the requests of a caller, or of an address without a valid credential. */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../auth/access.ts'
import { Buckets, retryIn } from '../../auth/buckets.ts'
import { network } from '../../auth/rate-limit.ts'
import { Failure } from '../../bundle/errors.ts'
import type { Config } from '../../config.ts'

type Kind = 'read' | 'write' | 'refusal'

export class RequestLimits {
  readonly #most: Record<Kind, number>
  readonly #buckets: Record<Kind, Buckets>

  /** @param now monotonic milliseconds */
  constructor({ reads, writes, refusals }: NonNullable<Config['rates']>, now = () => performance.now()) {
    const buckets = () => new Buckets('evenly', now)
    this.#most = { read: reads * 60, write: writes * 60, refusal: refusals * 60 }
    this.#buckets = { read: buckets(), write: buckets(), refusal: buckets() }
  }

  /** Counts a request of a caller. @returns a failure past the limit */
  excess({ kind, id }: Caller, kindOfRequest: 'read' | 'write'): Failure | undefined {
    const wait = this.#take(kindOfRequest, id)
    if (wait === 0) return undefined
    const who = kind === 'token' ? 'This API token sends' : 'You send'
    return tooMany(`${who} too many ${kindOfRequest}s`, wait)
  }

  /** Counts a request without a valid credential. @returns the refusal, or a failure past the limit */
  refuse(request: FastifyRequest, refusal: Failure): Failure {
    const wait = this.#take('refusal', network(request.ip))
    return wait === 0 ? refusal : tooMany('Your address sends too many requests without a valid credential', wait)
  }

  #take(kind: Kind, name: string): number {
    return this.#buckets[kind].take(name, this.#most[kind])
  }
}

function tooMany(what: string, wait: number): Failure {
  const { message, seconds } = retryIn(what, wait)
  return new Failure('too-many', message, { retryAfter: seconds })
}
