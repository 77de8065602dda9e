/** A text from outside in an uncontrolled field. It never overwrites typed text. */
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'

/** The events of a field. */
export interface FieldEvents {
  /** The user typed; this is the current text. */
  typed(text: string): void
  /** The focus went elsewhere. */
  left(): void
}

/** Shows `value` by `show` when it changes. Waits while the field has the focus; never overwrites typed text. */
export function useOutside<E extends HTMLElement>(
  field: RefObject<E | null>,
  value: string,
  show: (field: E, text: string) => void,
): FieldEvents {
  const state = useRef<{ shown?: string; given?: string; waiting?: string | undefined }>({})
  const showing = useRef(show)
  showing.current = show
  const write = useCallback(
    (text: string) => {
      state.current = { shown: text, given: text }
      showing.current(field.current!, text)
    },
    [field],
  )
  useLayoutEffect(() => {
    const { shown, given } = state.current
    // In an unfocused window the field is still the active element, though the user is elsewhere.
    const isIn = document.activeElement === field.current && document.hasFocus()
    if (value === shown) state.current = { shown, given: value }
    else if (shown === undefined || !isIn) write(value)
    else if (shown === given) state.current.waiting = value
  }, [field, value, write])
  return {
    typed: text => {
      state.current.shown = text
      state.current.waiting = undefined
    },
    left: () => {
      const { waiting } = state.current
      if (waiting !== undefined) write(waiting)
    },
  }
}
