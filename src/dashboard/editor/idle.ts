/** Work that waits until the grid is there. */
import { useSyncExternalStore } from 'react'

/** Ms after which it is done even if the browser is busy. */
const AT_LATEST = 2000

/** Calls back when the browser is idle. @returns stops it */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(act, { timeout: AT_LATEST })
    return () => cancelIdleCallback(id)
  }
  const id = setTimeout(act)
  return () => clearTimeout(id)
}

let wasIdle = false

function subscribe(changed: () => void): () => void {
  return wasIdle
    ? () => {}
    : whenIdle(() => {
        wasIdle = true
        changed()
      })
}

/** Whether the browser was idle since the dashboard was opened. */
export const useWasIdle = (): boolean => useSyncExternalStore(subscribe, () => wasIdle)
