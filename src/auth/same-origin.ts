/** Finds requests that a browser sends for another site: they must not act with the user's cookie. */
import { CLIENT_ADDRESS_HEADER } from './mount.ts'

/**
 * This server's origins as the request reached it, by either scheme, as a proxy may end TLS. `Sec-Fetch-Site:
 * same-origin`, which no page can forge, vouches for the Origin where a proxy rewrote Host.
 */
export function ownOrigins(headers: Headers): string[] {
  const origin = headers.get('origin')
  if (origin !== null && origin !== 'null' && headers.get('sec-fetch-site') === 'same-origin') return [origin]
  const host = headers.get('host') ?? ''
  return ['https', 'http'].flatMap(scheme => {
    const url = `${scheme}://${host}`
    return URL.canParse(url) ? [new URL(url).origin] : []
  })
}

/** Whether another site's page (or subdomain's) sends this; false when no browser shows. */
export function isCrossSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('origin')
  return origin !== null && !ownOrigins(headers).includes(origin)
}

/**
 * better-auth's headers, with our client address and host. Without Sec-Fetch-Site, Origin and Referer it is no browser,
 * and vouched for: better-auth would refuse curl with a cookie jar, and mistake Node's fetch, with its lone
 * Sec-Fetch-Mode, for a browser.
 */
export function innerHeaders(outer: Headers, host: string, clientAddress: string): Headers {
  const headers = new Headers(outer)
  for (const name of [...headers.keys()]) if (name.startsWith('x-forwarded-')) headers.delete(name)
  headers.delete('forwarded')
  headers.delete('content-length')
  headers.set('host', host)
  headers.set(CLIENT_ADDRESS_HEADER, clientAddress)
  if (!headers.has('sec-fetch-site') && !headers.has('origin')) {
    headers.delete('sec-fetch-mode')
    headers.delete('sec-fetch-dest')
    const own = ownOrigins(headers)[0]
    if (!headers.has('referer') && own !== undefined) headers.set('origin', own)
  }
  return headers
}
