/** Moves of the focus. */
import { type RefObject, useLayoutEffect, useRef } from 'react'

/** As a `ref`: scrolls the element into view when it appears. */
export const scrollIntoViewNow = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

/** As a `ref`: focuses the element when it replaces the focused one. It needs `tabIndex={-1}`. */
export const focusNow = (element: HTMLElement | null): void => element?.focus()

/** Does something once React Aria has given the focus back, in the next frame, after a menu or a dialog. */
export function afterFocus(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act))
}

/** Elements that the Tab key reaches, in a page or its frame. */
const REACHED = 'a[href], button, input, select, textarea, [contenteditable], [tabindex="0"]'

/**
 * Remembers the elements before an element, for after its removal.
 * @returns returns the focus to the nearest ancestor that still exists, or to `<main>`
 */
export function focusReturnTo(element: Element | null): () => void {
  // A menu closes before its chosen action runs.
  const list = element?.closest('[role=menu], [role=listbox]')
  const from = list ? document.querySelector(`[aria-controls="${list.id}"]`) : element
  // The search ends at `<main>`: the frame around it has unrelated controls.
  const all = [...(from?.closest('main') ?? document).querySelectorAll<HTMLElement>(REACHED)]
  const before = all.slice(0, all.indexOf(from as HTMLElement) + 1).reverse()
  return () =>
    afterFocus(() => {
      if (document.activeElement !== document.body) return
      // React Aria puts a native select beside each of its own, for autofill.
      const isReached = (one: HTMLElement) =>
        one.checkVisibility({ visibilityProperty: true }) &&
        !one.matches(':disabled, [tabindex="-1"], [aria-hidden=true] *')
      const near = before.find(isReached)
      const place = near ?? document.querySelector<HTMLElement>('main')
      place?.focus()
    })
}

/**
 * For an element that often disappears when pressed, such as the last "Show more". Dialogs handle this themselves.
 * @returns its `ref`
 */
export function useFocusReturn<Of extends HTMLElement>(): RefObject<Of | null> {
  const ref = useRef<Of>(null)
  useLayoutEffect(() => {
    const self = ref.current
    return () => {
      if (self && document.activeElement === self && !self.closest('[role$=dialog]')) focusReturnTo(self)()
    }
  }, [])
  return ref
}
