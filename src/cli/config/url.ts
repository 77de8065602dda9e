/** Addresses of servers. */
import { usage } from '../problem.ts'

/**
 * Parses an address. Its path gets a `/` at its end.
 * @param origin for the error
 * @throws Problem (exit 2) for anything but http and https, and for a user, a query or a fragment
 */
export function serverUrl(text: string, origin: string): URL {
  const url = URL.parse(text.trim())
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const [host] = /^[\w.-]+(?=(:\d+)?(\/|$))/.exec(text) ?? []
    const meant = host ? ` Did you mean http${isLoopback(host) ? '' : 's'}://${text}?` : ''
    throw usage(
      `${origin} must be the address of a server, such as https://parlance.example.com, not ${JSON.stringify(text)}.${meant}`,
    )
  }
  if (url.username || url.password) throw usage(`${origin} must not hold a user or a password: use a token.`)
  if (url.search || url.hash)
    throw usage(`${origin} must not have a query or a fragment: ${url.origin}${url.pathname}.`)
  url.pathname = url.pathname.replace(/\/?$/, '/')
  return url
}

/** Whether a host name is that of this machine. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** The address as displayed and stored, without the `/` at its end. */
export const shownUrl = (url: URL): string => url.href.slice(0, -1)
