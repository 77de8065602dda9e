/** What every answer tells beside its data: that the server is there, and that it no longer knows its reader. */

const told = new EventTarget()
let reached = true

/** Hears the status of each answer; 0 is none. */
export function noteStatus(status: number): void {
  if (reached !== (status !== 0)) {
    reached = status !== 0
    told.dispatchEvent(new Event('reached'))
  }
  // A wrong password is refused too: whoever hears this asks who is signed in.
  if (status === 401 || status === 403) told.dispatchEvent(new Event('refused'))
}

/** Whether the last request had an answer. */
export const isReached = (): boolean => reached

/**
 * Hears of a change of {@link isReached}, or that something was refused for want of a session or right.
 * @returns stops hearing
 */
export function onServer(what: 'reached' | 'refused', listener: () => void): () => void {
  told.addEventListener(what, listener)
  return () => told.removeEventListener(what, listener)
}
