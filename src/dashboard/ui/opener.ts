/** Buttons that open a list, as React Aria's own do, for the time when React Aria is not there yet. */
import { type ButtonHTMLAttributes, createContext, type RefObject, useId, useRef, useState } from 'react'

/** The data that a list needs of its button. */
export interface OpenedList {
  trigger: RefObject<HTMLElement | null>
  /** The list's own id. */
  id: string
  /** Which row gets the focus; true is the chosen one, or none. */
  autoFocus: true | 'first' | 'last'
  onClose: () => void
}

/** Attributes of a button that opens something. */
type OpenerProps = ButtonHTMLAttributes<HTMLButtonElement> & { ref?: RefObject<HTMLButtonElement | null> }

/** For a `Trigger`. */
export const OpenerContext = createContext<OpenerProps>({})

const FOCUSED_BY: Record<string, 'first' | 'last'> = {
  Enter: 'first',
  ' ': 'first',
  ArrowDown: 'first',
  ArrowUp: 'last',
}

interface Own {
  isOpen?: boolean | undefined
  onOpenChange?: ((isOpen: boolean) => void) | undefined
}

/**
 * @param own where something else opens it too
 * @returns attributes for the button; `opened` is undefined while it is closed
 */
export function useOpener(
  popup: 'menu' | 'listbox',
  own: Own = {},
): { opener: OpenerProps; opened: OpenedList | undefined } {
  const trigger = useRef<HTMLButtonElement>(null)
  const id = useId()
  const [isOpenHere, setIsOpen] = useState(false)
  const [autoFocus, setAutoFocus] = useState<OpenedList['autoFocus']>(true)
  const isOpen = own.isOpen ?? isOpenHere
  const set = (isOpen: boolean) => {
    setIsOpen(isOpen)
    own.onOpenChange?.(isOpen)
  }
  const open = (autoFocus: OpenedList['autoFocus']) => {
    if (isOpen) return
    // The focus returns here when the list closes, also in Safari, which does not focus a clicked button.
    trigger.current?.focus({ preventScroll: true })
    setAutoFocus(autoFocus)
    set(true)
  }
  const opener: OpenerProps = {
    ref: trigger,
    id: `${id}button`,
    'aria-haspopup': popup,
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? id : undefined,
    onMouseDown: event => {
      if (event.button !== 0) return
      event.preventDefault()
      open(true)
    },
    // By a screen reader.
    onClick: ({ detail }) => open(detail === 0 ? 'first' : true),
    onKeyDown: event => {
      const to = FOCUSED_BY[event.key]
      if (!to) return
      // React Aria treats a click by a key as a screen reader's.
      event.preventDefault()
      open(to)
    },
  }
  const onClose = () => {
    setAutoFocus(true)
    set(false)
  }
  return { opener, opened: isOpen ? { trigger, id, autoFocus, onClose } : undefined }
}
