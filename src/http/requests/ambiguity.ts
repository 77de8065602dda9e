/** Ambiguous or oversized requests, which a proxy in front and this server might read differently. */
import type { IncomingMessage } from 'node:http'
import { readCookies } from '../../auth/cookies.ts'
import { Failure } from '../../bundle/errors.ts'

/** Headers that may be sent once, by name length. Node silently drops all but the first of most, or joins them. */
const ONCE: Record<number, string> = { 4: 'host', 6: 'cookie', 12: 'content-type', 13: 'authorization' }

/** Browsers behind several proxies send some fifty. Node silently drops those past its own bound, if it has one. */
const MOST_HEADERS = 200

/** The start of their next request is unknown. */
const lost = new WeakSet<object>()

/**
 * The failure for too many or repeated headers, or for a transfer coding that hides the end of the body. See RFC 9112
 * §3.2 and §6.3, and RFC 9110 §5.3. The connection's later requests may then be the body, and are refused too.
 */
export function ambiguity({ rawHeaders, headers, socket }: IncomingMessage): Failure | undefined {
  if (lost.has(socket)) return new Failure('invalid', 'The server accepts no further request on this connection.')
  if (rawHeaders.length > MOST_HEADERS * 2) {
    return new Failure('too-many-headers', `The request has more than ${MOST_HEADERS} headers.`)
  }
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const once = ONCE[name.length]
    if (once === undefined || name.toLowerCase() !== once) continue
    const bit = 1 << once.length
    if (seen & bit) return new Failure('invalid', `The header ${once} may be sent once.`)
    seen |= bit
  }
  if (headers.cookie !== undefined) {
    // A sibling site can set cookies for the domain, and this server and better-auth might pick different ones.
    const cookies = readCookies(headers.cookie)
    if ('fault' in cookies) return new Failure('invalid', cookies.fault)
  }
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return undefined
  lost.add(socket)
  return new Failure('invalid', 'The only transfer coding that a body may have is chunked.')
}
