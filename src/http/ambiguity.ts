/** Requests that say a thing in two ways: a proxy in front and this server might each believe another one. */
import type { IncomingMessage } from 'node:http'
import { SESSION_COOKIE } from '../auth/mount.ts'
import { Failure } from '../bundle/errors.ts'

/** By the length of their names: headers of which Node keeps the first and says nothing of the others. What it joins instead, as it does keys, is no value that anything takes. */
const ONCE: Record<number, string> = { 4: 'host', 12: 'content-type', 13: 'authorization' }

/** Connections whose next request nobody knows the beginning of. */
const lost = new WeakSet<object>()

/**
 * What is said twice, or in a transfer coding that leaves open where the body ends; undefined when all is clear (RFC 9112 §3.2 and §6.3, RFC 9110 §5.3).
 * After such a coding, whatever follows on the connection is refused too: it may be the body.
 */
export function ambiguity({ rawHeaders, headers, socket }: IncomingMessage): Failure | undefined {
  if (lost.has(socket)) return new Failure('invalid', 'Nothing more is taken on this connection.')
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const once = ONCE[name.length]
    if (once === undefined || name.toLowerCase() !== once) continue
    const bit = 1 << once.length
    if (seen & bit) return new Failure('invalid', `The header ${once} may be sent once.`)
    seen |= bit
  }
  if (headers.cookie !== undefined && hasTwoSessions(headers.cookie)) {
    return new Failure('invalid', `The cookie ${SESSION_COOKIE} is sent with two values: remove those of this site.`)
  }
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return undefined
  lost.add(socket)
  return new Failure('invalid', 'The only transfer coding that a body may have is chunked.')
}

/** A sibling's page can set a cookie for the whole domain: whoever reads the first of two and whoever reads the last would take the caller for two people. */
function hasTwoSessions(cookie: string): boolean {
  const name = `${SESSION_COOKIE}=`
  if (cookie.indexOf(name) === cookie.lastIndexOf(name)) return false
  const values = cookie.split(';').flatMap(pair => (pair.trim().startsWith(name) ? [pair.trim()] : []))
  return new Set(values).size > 1
}
