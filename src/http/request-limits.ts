/** How many requests one caller may make, and how many without a valid credential one address: enough for anything but a program gone wild. */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/access.ts'
import { network } from '../auth/rate-limit.ts'
import { Failure } from '../bundle/errors.ts'
import type { Config } from '../config.ts'
import { TokenBuckets } from './token-buckets.ts'

/** How many seconds' worth of requests may come at once. */
const BURST_SECONDS = 60

/** See the top of the file. */
export class RequestLimits {
  readonly #reads: TokenBuckets
  readonly #writes: TokenBuckets
  readonly #refusals: TokenBuckets

  /** @param now milliseconds that never go back */
  constructor(rates: NonNullable<Config['rates']>, now = () => performance.now()) {
    const buckets = (perSecond: number) => new TokenBuckets({ perSecond, burst: perSecond * BURST_SECONDS }, now)
    this.#reads = buckets(rates.reads)
    this.#writes = buckets(rates.writes)
    this.#refusals = buckets(rates.refusals)
  }

  /** Counts a request of a caller. @returns why it is one too many, undefined when it is not */
  excess({ kind, id }: Caller, kindOfRequest: 'read' | 'write'): Failure | undefined {
    const wait = (kindOfRequest === 'read' ? this.#reads : this.#writes).take(id)
    if (wait === 0) return undefined
    const who = kind === 'token' ? 'This API token makes' : 'You make'
    return tooMany(`${who} too many ${kindOfRequest}s`, wait)
  }

  /** Counts a request without a valid credential. @returns what to answer: the refusal, or that there were too many of them */
  refuse(request: FastifyRequest, refusal: Failure): Failure {
    const wait = this.#refusals.take(network(request.ip))
    return wait === 0 ? refusal : tooMany('Your address makes too many requests without a valid credential', wait)
  }
}

function tooMany(what: string, wait: number): Failure {
  const seconds = Math.ceil(wait)
  return new Failure('too-many', `${what}; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    retryAfter: seconds,
  })
}
