/**
 * Menus, and buttons that open a list. The buttons do as React Aria's own, for the time when React Aria is not there
 * yet.
 */
import {
  type ButtonHTMLAttributes,
  createContext,
  type ReactElement,
  type RefObject,
  useContext,
  useId,
  useRef,
  useState,
} from 'react'
import { type ButtonAppearance, classOf } from './button.tsx'
import { late } from './late.tsx'
import type { MenuRow } from './menu-rows.tsx'
import type { OpenedList } from './spoken.tsx'

const Rows = late(() => import('./menu-rows.tsx'))

type OpenerProps = ButtonHTMLAttributes<HTMLButtonElement> & { ref?: RefObject<HTMLButtonElement | null> }

/** For a {@link Trigger}. */
export const OpenerContext = createContext<OpenerProps>({})

const FOCUSED_BY: Record<string, 'first' | 'last'> = {
  Enter: 'first',
  ' ': 'first',
  ArrowDown: 'first',
  ArrowUp: 'last',
}

/**
 * @param own where something else opens it too
 * @returns attributes for the button; `opened` is undefined while it is closed
 */
export function useOpener(
  popup: 'menu' | 'listbox',
  own: { isOpen?: boolean; onOpenChange?: (isOpen: boolean) => void } = {},
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

type TriggerProps = ButtonAppearance & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'className'>

/** A button that opens a menu. It looks like any other. */
export function Trigger({ look, small, icon, children, ...attributes }: TriggerProps) {
  return (
    <button type="button" {...attributes} {...useContext(OpenerContext)} className={classOf({ look, small, children })}>
      {icon}
      {children}
    </button>
  )
}

interface Props {
  /** The button that opens it: a {@link Trigger}. */
  button: ReactElement
  rows: readonly MenuRow[]
  label: string
  /** Of the rows with a state one is chosen, or any number; any by default. */
  chooses?: 'one' | 'any'
  /** With {@link Props.onOpenChange}: something else opens it too. */
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
}

/** A menu behind a button. Choosing closes it. */
export function Menu({ button, rows, label, chooses, ...own }: Props) {
  const { opener, opened } = useOpener('menu', own)
  return (
    <>
      <OpenerContext value={opener}>{button}</OpenerContext>
      {opened && <Rows {...opened} rows={rows} label={label} chooses={chooses} />}
    </>
  )
}
