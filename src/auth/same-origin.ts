/** Which requests a browser sends for a page of another site: those must not act with the user's cookie. */

/**
 * The origins that are this server's own as the request reached it. The scheme may be either: a proxy that ends TLS hands on plain http.
 * A browser's own `Sec-Fetch-Site: same-origin` (no page can forge it) vouches for the Origin even where a proxy rewrote Host.
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

/** Whether a page of another site (a sibling subdomain too) makes the browser send this; false when nothing says it is from a browser. */
export function isCrossSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('origin')
  return origin !== null && !ownOrigins(headers).includes(origin)
}
