/** Requests that say a thing in two ways, or say too much: a proxy in front and this server might each believe something else. */
import type { IncomingMessage } from 'node:http'
import { readCookies } from '../auth/cookies.ts'
import { Failure } from '../bundle/errors.ts'

/** Headers that may be sent once, by the length of their names. Of most of them Node silently keeps only the first; what it joins instead, as it does keys, is no value that anything takes. */
const ONCE: Record<number, string> = { 4: 'host', 6: 'cookie', 12: 'content-type', 13: 'authorization' }

/** Browsers behind several proxies send some fifty. Node drops those past a bound of its own without a word, unless it has none. */
const MOST_HEADERS = 200

/** Connections whose next request nobody knows the beginning of. */
const lost = new WeakSet<object>()

/**
 * What is said in too many headers, twice, or in a transfer coding that leaves open where the body ends; undefined when all is clear (RFC 9112 §3.2 and §6.3, RFC 9110 §5.3).
 * After such a coding, whatever follows on the connection is refused too: it may be the body.
 */
export function ambiguity({ rawHeaders, headers, socket }: IncomingMessage): Failure | undefined {
  if (lost.has(socket)) return new Failure('invalid', 'Nothing more is taken on this connection.')
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
    // A sibling's page can set a cookie for the whole domain, and a program send one that we and better-auth would read as two people's.
    const cookies = readCookies(headers.cookie)
    if ('fault' in cookies) return new Failure('invalid', cookies.fault)
  }
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return undefined
  lost.add(socket)
  return new Failure('invalid', 'The only transfer coding that a body may have is chunked.')
}
