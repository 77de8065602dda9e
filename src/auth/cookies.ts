/**
 * Our cookies in a Cookie header, so strictly that no reader can differ: names that better-auth would trim, quotes it
 * would strip and repeated names are faults.
 */
import { COOKIE_PREFIX } from './mount.ts'

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
    // What does not decode is no session of ours, as better-auth reads it: 401, like any other that somebody made up.
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

/** A name as a lenient reader might take it. */
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
