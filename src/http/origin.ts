/** Where a client found this server: its scheme, host and port as the client knows them. */
import type { FastifyRequest } from 'fastify'
import { Failure } from '../bundle/errors.ts'

/**
 * The origin of this server as the request reached it: what Host (or a trusted proxy) says, or `baseUrl` where the
 * browser says that it is there. Other addresses of this server go on working when one is set.
 *
 * @throws Failure `invalid` for a Host that is none
 */
export function serverOrigin({ protocol, host, headers }: FastifyRequest, baseUrl: string | undefined): URL {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl)
  if (base !== undefined && headers.origin === base.origin) return new URL(base.origin)
  const origin = `${protocol}://${host}`
  if (/^[^/?#@\\\s]+$/.test(host) && URL.canParse(origin)) return new URL(origin)
  throw new Failure('invalid', 'The Host header is not a host name.')
}

/** What is wrong with a request that names no host, which HTTP/1.1 demands (RFC 9112 §3.2). Node's own check would answer without a body. */
export function hostFault({ raw }: FastifyRequest): Failure | undefined {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return undefined
  return new Failure('invalid', 'The request has no Host header.')
}
