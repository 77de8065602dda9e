/** Where a reader wants to go after signing in: in the query of the pages that lead there, or stored meanwhile. */

/** The address in a query, if it is one of this page. @param query without `?` */
export function nextOf(query: string): string {
  const next = new URLSearchParams(query).get('next') ?? ''
  return next.startsWith('/') && !next.startsWith('//') && !next.startsWith('/sign-') ? next : '/'
}

/** A page of the way in, which leads on to `next`. */
export const withNext = (page: string, next: string): string =>
  next === '/' ? page : `${page}?next=${encodeURIComponent(next)}`

const NEXT = 'parlance.next'

/** Stores an address of the dashboard while the browser is at the provider. */
export const storeNext = (next: string): void => sessionStorage.setItem(NEXT, next)

/** The stored address; the next call returns null. */
export function popNext(): string | null {
  const next = sessionStorage.getItem(NEXT)
  sessionStorage.removeItem(NEXT)
  return next
}
