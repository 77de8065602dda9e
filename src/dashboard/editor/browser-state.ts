/** What the editor knows of its browser: idle time, the width of the window, a print, the chosen height of rows. */
import { useSyncExternalStore } from 'react'

const eventsOf =
  (target: EventTarget, ...names: string[]) =>
  (changed: () => void) => {
    for (const name of names) target.addEventListener(name, changed)
    return () => {
      for (const name of names) target.removeEventListener(name, changed)
    }
  }

/** Ms after which work is done even if the browser is busy. */
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
const untilIdle = (changed: () => void) =>
  whenIdle(() => {
    wasIdle = true
    changed()
  })

/** Whether the browser was idle since the dashboard was opened. */
export const useWasIdle = (): boolean => useSyncExternalStore(untilIdle, () => wasIdle)

/** The narrowest window with room for grid and panel; `editor.module.css` has the same. */
const WIDE = matchMedia('(width >= 1100px)')
const subscribeWide = eventsOf(WIDE, 'change')

export const useIsWide = (): boolean => useSyncExternalStore(subscribeWide, () => WIDE.matches)

const PRINTS = ['beforeprint', 'afterprint']
let isPrinting = false
// Listens before any component does.
for (const name of PRINTS) addEventListener(name, () => (isPrinting = name === 'beforeprint'))
const subscribePrint = eventsOf(window, ...PRINTS)

/** True from before the browser's snapshot until after it, so that the snapshot has everything rendered. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribePrint, () => isPrinting)

const DENSITY = 'parlance.density'

/** `compact` shows a third more rows. */
export type RowDensity = 'comfort' | 'compact'

const densityHere = (): RowDensity => (localStorage.getItem(DENSITY) === 'compact' ? 'compact' : 'comfort')
const subscribeDensity = eventsOf(window, 'storage')

/** The height of the grid's rows, in every window of the browser. */
export const useDensity = (): RowDensity => useSyncExternalStore(subscribeDensity, densityHere)

/** Applies a density now and at the next visits. */
export function setDensity(density: RowDensity): void {
  localStorage.setItem(DENSITY, density)
  // The browser notifies only the other windows.
  dispatchEvent(new Event('storage'))
}
