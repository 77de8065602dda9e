/** What the status of an answer reveals: whether the server is reachable, can write and knows the session. */
import type { TFunction } from 'i18next'

/** On answers of a server that is cut off from the database that it shares with others. */
export const STALE = 'parlance-stale'

const events = new EventTarget()
let reached = true
let lostAt = Number.NEGATIVE_INFINITY

/**
 * Hears the status of each answer, 0 is none, and its headers.
 * @param askedAt when the request was sent, by `performance.now()`. An answer to an earlier request does not prove
 * that the line is back.
 */
export function noteAnswer(status: number, askedAt: number, headers?: Headers): void {
  if (status === 0) lostAt = performance.now()
  const isBack = status !== 0 && askedAt >= lostAt
  if (reached ? status === 0 : isBack) {
    reached = isBack
    events.dispatchEvent(new Event('reached'))
  }
  if (status === 503 || headers?.has(STALE)) events.dispatchEvent(new Event('troubled'))
  // A wrong password is refused too, so listeners ask the server who is signed in.
  if (status === 401 || status === 403) events.dispatchEvent(new Event('refused'))
}

/** Whether the last request had an answer. */
export const isReached = (): boolean => reached

/**
 * Subscribes to changes of {@link isReached}, to answers of 401 or 403, and to failed writes.
 * @returns stops hearing
 */
export function onServer(what: 'reached' | 'refused' | 'troubled', listener: () => void): () => void {
  events.addEventListener(what, listener)
  return () => events.removeEventListener(what, listener)
}

const NAMES: Record<number, string> = {
  403: 'forbidden',
  404: 'missing',
  408: 'slow',
  409: 'changed',
  410: 'missing',
  412: 'changed',
  413: 'large',
  429: 'busy',
  502: 'away',
  503: 'away',
  504: 'slow',
  507: 'full',
}

/** A sentence for an answer that has none, such as a proxy's page. @param t of any namespace */
export const statusSentence = (status: number, t: TFunction): string =>
  t(`common:status.${NAMES[status] ?? (status >= 500 ? 'failed' : 'refused')}`)
