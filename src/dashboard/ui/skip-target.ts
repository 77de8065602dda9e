/** The goal of the frame's first link, where a page has a better one than its beginning. */
import { useEffect, useSyncExternalStore } from 'react'

/** The link's words, and the act that moves the focus. */
type SkipTarget = { label: string; enter: () => void }

let target: SkipTarget | undefined
const listeners = new Set<() => void>()

const show = (next: SkipTarget | undefined) => {
  target = next
  for (const changed of listeners) changed()
}

const subscribe = (changed: () => void) => {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

export const useSkipTarget = (): SkipTarget | undefined => useSyncExternalStore(subscribe, () => target)

/** Sets the goal as long as the caller is mounted. @param enter the same function in each render */
export function useSkipTo(label: string, enter: () => void): void {
  useEffect(() => {
    const own = { label, enter }
    show(own)
    return () => {
      if (target === own) show(undefined)
    }
  }, [label, enter])
}
