/**
 * Our cookies in a Cookie header, so strictly that no reader can differ: names that better-auth would trim, quotes it
 * would strip and repeated names are faults.
 */
import { COOKIE_PREFIX } from './mount.ts'

/** A browser accepts such a name only with Secure, Path=/ and no Domain, as ours have below a sub-path, too. */
const HOST_PREFIX = '__Host-'
const NAME = `(?:__Secure-|__Host-)?${COOKIE_PREFIX}\\.`
/** RFC 6265, 4.1.1, without a quoted value. */
const PAIR = new RegExp(
  `^[ \\t]*(${NAME}[A-Za-z0-9_.-]+)=([\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]*)[ \\t]*$`,
)
const OURS = new RegExp(`^${NAME}`)

/** Our cookies' decoded values by name, or a sentence on a fault. */
export function readCookies(header: string): Map<string, string> | { fault: string } {
  const values = new Map<string, string>()
  // Most cookies are not ours.
  if (!header.includes(`${COOKIE_PREFIX}`)) return values
  for (const piece of header.split(';')) {
    const [name = ''] = piece.split('=', 1)
    const read = visible(name)
    if (!OURS.test(read)) continue
    const shown = read.slice(0, 60)
    const [, exact = '', raw = ''] = PAIR.exec(piece) ?? []
    // What does not decode is no session of ours, as better-auth reads it: 401, like any invented one.
    const value = decoded(raw) ?? raw
    if (exact === '') {
      return {
        fault: `The cookie ${shown} is not sent as it was set: send name=value, without spaces, quotes or control characters.`,
      }
    }
    if ((values.get(exact) ?? value) !== value) {
      return { fault: `The cookie ${shown} is sent with two values: remove those of this site.` }
    }
    values.set(exact, value)
  }
  return values
}

/** One of our cookies; undefined without one, or with a fault. */
export function readCookie(header: string, name: string): string | undefined {
  const cookies = readCookies(header)
  return 'fault' in cookies ? undefined : cookies.get(name)
}

/**
 * A Cookie header with our cookies alone, under the names that better-auth knows. A `__Host-` cookie wins over one of
 * the plain name: this host has set it over https (RFC 6265bis, 4.1.3.2), and a sibling host can plant the other.
 * @param isHttps plain names do not count: this server sets none over https
 */
export function innerCookies(header: string, isHttps: boolean): string {
  const cookies = readCookies(header)
  if ('fault' in cookies) return ''
  const inner = new Map<string, string>()
  for (const piece of header.split(';')) {
    const [, name = '', value = ''] = PAIR.exec(piece) ?? []
    if (name.startsWith(HOST_PREFIX)) inner.set(name.slice(HOST_PREFIX.length), value)
    else if (name.startsWith(COOKIE_PREFIX) && !isHttps && !cookies.has(HOST_PREFIX + name)) inner.set(name, value)
  }
  return [...inner].map(pair => pair.join('=')).join('; ')
}

/** Whether a client holds a cookie that it sends over https alone. */
export const holdsHostCookie = (header: string): boolean => header.includes(`${HOST_PREFIX}${COOKIE_PREFIX}.`)

/** Set-Cookie values for a request over https: for this host alone. better-auth would go by the environment. */
export function outerCookies(cookies: string[], secure: boolean): string[] {
  if (!secure) return cookies
  return cookies.map(cookie => `${cookie.startsWith(`${COOKIE_PREFIX}.`) ? HOST_PREFIX : ''}${cookie}; Secure`)
}

/** A name as a lenient reader might read it. */
function visible(name: string): string {
  return (decoded(name) ?? name).replace(/[^\x21\x23-\x7e]/g, '')
}

function decoded(text: string): string | undefined {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    return undefined
  }
}
