/** This server's origin as the client knows it. */
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../bundle/errors.ts'

/**
 * The request's origin: from Host (or a trusted proxy), or `baseUrl` where the browser names it. Other addresses still
 * work.
 * @throws Failure `invalid` for a Host that is none
 */
export function serverOrigin({ protocol, host, headers }: FastifyRequest, baseUrl: string | undefined): URL {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl)
  if (base !== undefined && headers.origin === base.origin) return new URL(base.origin)
  const origin = `${protocol}://${host}`
  if (/^[^/?#@\\\s]+$/.test(host) && URL.canParse(origin)) return new URL(origin)
  throw new Failure('invalid', 'The Host header is not a host name.')
}

/** Refuses a request without Host (RFC 9112 §3.2). Node's own check would answer without a body. */
export function hostFault({ raw }: FastifyRequest): Failure | undefined {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return undefined
  return new Failure('invalid', 'The request has no Host header.')
}

/** The path of a request's target: with the origin before it, as a proxy is asked, it is the same (RFC 9112 §3.2.2). */
export function pathOf(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}
