/** Whether the browser is printing: then all lines are rendered, not only the visible ones. */
import { useSyncExternalStore } from 'react'

let isPrinting = false

function subscribe(changed: () => void): () => void {
  const noted = ({ type }: Event) => {
    isPrinting = type === 'beforeprint'
    changed()
  }
  for (const name of ['beforeprint', 'afterprint']) addEventListener(name, noted)
  return () => {
    for (const name of ['beforeprint', 'afterprint']) removeEventListener(name, noted)
  }
}

/** True from before the browser's snapshot until after it, so that the snapshot has everything rendered. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => isPrinting)
