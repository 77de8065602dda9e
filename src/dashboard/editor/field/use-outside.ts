/** A text from outside in a field that keeps its own: never over what somebody types there. */
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'

/** What a field tells of itself. */
export interface FieldEvents {
  /** Somebody typed, and this is the text now. */
  typed(text: string): void
  /** The focus went elsewhere. */
  left(): void
}

/** Shows `value` by `show` when it changes; later when somebody is in the field, never when they have typed. */
export function useOutside<E extends HTMLElement>(
  field: RefObject<E | null>,
  value: string,
  show: (field: E, text: string) => void,
): FieldEvents {
  const state = useRef<{ shown?: string; given?: string; waiting?: string | undefined }>({})
  const showing = useRef(show)
  showing.current = show
  const take = useCallback(
    (text: string) => {
      state.current = { shown: text, given: text }
      showing.current(field.current!, text)
    },
    [field],
  )
  useLayoutEffect(() => {
    const { shown, given } = state.current
    // In a window that is not looked at nobody is in a field, though it is still the active one.
    const isIn = document.activeElement === field.current && document.hasFocus()
    if (value === shown) state.current = { shown, given: value }
    else if (shown === undefined || !isIn) take(value)
    else if (shown === given) state.current.waiting = value
  }, [field, value, take])
  return {
    typed: text => {
      state.current.shown = text
      state.current.waiting = undefined
    },
    left: () => {
      const { waiting } = state.current
      if (waiting !== undefined) take(waiting)
    },
  }
}
