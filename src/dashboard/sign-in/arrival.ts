/** The data of the OpenID provider's redirect, and the address that the reader wanted before it. */

const NEXT = 'parlance.next'

/** The query of the address at the start. */
export interface Arrival {
  /** The provider has signed the reader in, and the second factor is still to be given. */
  needsCode: boolean
  /** The code of what went wrong at the provider; '' for nothing. */
  error: string
}

/** Reads the query and removes it from the address, so that a reload starts clean. */
export function readArrival(): Arrival {
  const query = new URLSearchParams(location.search)
  const arrival = { needsCode: query.has('twoFactorRedirect'), error: query.get('error') ?? '' }
  if (arrival.needsCode || arrival.error) {
    const hash = location.hash || '#/sign-in'
    history.replaceState(null, '', `${location.pathname}${hash}`)
  }
  return arrival
}

/** Stores an address of the dashboard while the browser is at the provider. */
export const storeNext = (next: string): void => sessionStorage.setItem(NEXT, next)

/** The stored address; the next call returns null. */
export function popNext(): string | null {
  const next = sessionStorage.getItem(NEXT)
  sessionStorage.removeItem(NEXT)
  return next
}
