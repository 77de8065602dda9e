/** Whether the page is being printed: what is drawn then is all of a list, and not what is seen of it. */
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

/** True from before the browser takes its picture of the page, which then has what is drawn for it, until it has it. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => isPrinting)
