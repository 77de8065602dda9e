/** Arrow keys among the links and buttons of a table, as in a grid (WAI-ARIA APG): the table is one Tab stop. */
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'

const REACHED = 'a[href], button'

const reachedIn = (part: Element | undefined): HTMLElement[] =>
  part ? [...part.querySelectorAll<HTMLElement>(REACHED)].filter(one => one.checkVisibility()) : []

/** Attributes for a `<table role="grid">`. */
export interface GridKeys {
  ref: RefObject<HTMLTableElement | null>
  onKeyDownCapture: (event: KeyboardEvent) => void
  onFocus: () => void
}

/** Left and right go through all links of a row, up and down from cell to cell. */
export function useGridKeys(): GridKeys {
  const ref = useRef<HTMLTableElement>(null)
  /** The only one that Tab reaches: the last one that had the focus. */
  const stop = useRef<HTMLElement>(undefined)
  const settle = () => {
    const table = ref.current!
    if (table.contains(document.activeElement)) stop.current = document.activeElement as HTMLElement
    else if (!stop.current?.isConnected) stop.current = reachedIn(table.tBodies[0])[0]
    for (const one of table.querySelectorAll<HTMLElement>(REACHED)) one.tabIndex = one === stop.current ? 0 : -1
  }
  // Rows come and go.
  useLayoutEffect(settle)
  const onKeyDownCapture = (event: KeyboardEvent) => {
    const from = event.target as HTMLElement
    const cell = from.closest<HTMLTableCellElement>('th, td')
    // React's events come from an open menu of the table, too, which is elsewhere in the document.
    if (!cell || !ref.current?.contains(cell) || event.altKey || event.shiftKey || event.metaKey) return
    const to = next(event, ref.current, cell, from)
    if (!to) return
    // The button of a menu would open it.
    event.preventDefault()
    event.stopPropagation()
    to.focus()
  }
  return { ref, onKeyDownCapture, onFocus: settle }
}

/** Where a key leads; undefined for keys with another meaning. */
function next(
  { key, ctrlKey }: KeyboardEvent,
  table: HTMLTableElement,
  cell: HTMLTableCellElement,
  from: HTMLElement,
): HTMLElement | undefined {
  const row = cell.parentElement as HTMLTableRowElement
  if (key === 'Home' || key === 'End') return reachedIn(ctrlKey ? table : row).at(key === 'Home' ? 0 : -1)
  if (ctrlKey) return undefined
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const rows = [...table.rows]
    const others = key === 'ArrowUp' ? rows.slice(0, row.rowIndex).reverse() : rows.slice(row.rowIndex + 1)
    return others.flatMap(other => reachedIn(other.cells[cell.cellIndex]))[0] ?? from
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
  const all = reachedIn(row)
  const isForward = (key === 'ArrowRight') === (getComputedStyle(table).direction === 'ltr')
  const at = all.indexOf(from) + (isForward ? 1 : -1)
  return all[Math.max(at, 0)] ?? from
}
