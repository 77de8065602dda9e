/** Where a reader wanted to go, kept over a sign-in; and what the OpenID provider's redirection brought along. */

const NEXT = 'parlance.next'

/** What stood in the query of the page's own address when it was loaded. */
export interface Arrival {
  /** The provider has signed the reader in, and the second factor is still to be given. */
  needsCode: boolean
  /** The code of what went wrong at the provider; '' for nothing. */
  error: string
}

/** Reads it, and takes it out of the address, so that a reload begins anew. */
export function readArrival(): Arrival {
  const query = new URLSearchParams(location.search)
  const arrival = { needsCode: query.has('twoFactorRedirect'), error: query.get('error') ?? '' }
  if (arrival.needsCode || arrival.error) {
    const hash = location.hash || '#/sign-in'
    history.replaceState(null, '', `${location.pathname}${hash}`)
  }
  return arrival
}

/** Keeps an address of the page while the browser is at the provider. */
export const keepNext = (next: string): void => sessionStorage.setItem(NEXT, next)

/** The address that was kept, once. */
export function takeNext(): string | null {
  const next = sessionStorage.getItem(NEXT)
  sessionStorage.removeItem(NEXT)
  return next
}

/** The address in a query, if it is one of this page. @param query without `?` */
export function nextOf(query: string): string {
  const next = new URLSearchParams(query).get('next') ?? ''
  return next.startsWith('/') && !next.startsWith('//') && !next.startsWith('/sign-') ? next : '/'
}

/** A page of the way in, which leads on to `next`. */
export const withNext = (page: string, next: string): string =>
  next === '/' ? page : `${page}?next=${encodeURIComponent(next)}`
