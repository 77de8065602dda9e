/** What every answer tells beside its data: that the server is there, may be unable to write, or no longer knows its reader. */

/** On answers of a server that is cut off from the database that it shares with others. */
export const STALE = 'parlance-stale'

const told = new EventTarget()
let reached = true
let lostAt = Number.NEGATIVE_INFINITY

/**
 * Hears the status of each answer, 0 is none, and its headers.
 * @param askedAt when it was asked for, by `performance.now()`: what was on its way when the line went down does not
 *   say that it is back
 */
export function noteAnswer(status: number, askedAt: number, headers?: Headers): void {
  if (status === 0) lostAt = performance.now()
  const isBack = status !== 0 && askedAt >= lostAt
  if (reached ? status === 0 : isBack) {
    reached = isBack
    told.dispatchEvent(new Event('reached'))
  }
  if (status === 503 || headers?.has(STALE)) told.dispatchEvent(new Event('troubled'))
  // A wrong password is refused too: whoever hears this asks who is signed in.
  if (status === 401 || status === 403) told.dispatchEvent(new Event('refused'))
}

/** Whether the last request had an answer. */
export const isReached = (): boolean => reached

/**
 * Hears of a change of {@link isReached}, that something was refused for want of a session or right, or that the server
 * may be unable to write.
 * @returns stops hearing
 */
export function onServer(what: 'reached' | 'refused' | 'troubled', listener: () => void): () => void {
  told.addEventListener(what, listener)
  return () => told.removeEventListener(what, listener)
}
