/** The height of the grid's rows: a choice of this browser, like the theme. */
import { useSyncExternalStore } from 'react'

const CHOICE = 'parlance.density'

/** `compact` shows a third more rows. */
export type RowDensity = 'comfort' | 'compact'

const densityHere = (): RowDensity => (localStorage.getItem(CHOICE) === 'compact' ? 'compact' : 'comfort')

function subscribe(changed: () => void): () => void {
  addEventListener('storage', changed)
  return () => removeEventListener('storage', changed)
}

/** The chosen density, in every window of the browser. */
export const useDensity = (): RowDensity => useSyncExternalStore(subscribe, densityHere)

/** Applies a density now and at the next visits. */
export function setDensity(density: RowDensity): void {
  localStorage.setItem(CHOICE, density)
  // The browser notifies only the other windows.
  dispatchEvent(new Event('storage'))
}
