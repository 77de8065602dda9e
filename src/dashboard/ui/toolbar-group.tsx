/** Controls with one Tab stop: arrows go from one to the next. */
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'

interface Props {
  label: string
  className: string | undefined
  /** A selector of the first Tab stop; otherwise it is the first control. */
  start?: string
  children: ReactNode
}

/** Those of a notice above it are none of its own. */
const CONTROLS = ':is(a[href], button:not(:disabled), input):not([popover] *)'

/** WAI-ARIA's toolbar. The last control with the focus is the Tab stop. */
export function ToolbarGroup({ label, className, start, children }: Props) {
  const own = useRef<HTMLDivElement>(null)
  const last = useRef<HTMLElement>(null)
  const controls = () => [...own.current!.querySelectorAll<HTMLElement>(CONTROLS)]
  const stops = () => controls().filter(control => control.checkVisibility({ visibilityProperty: true }))
  const settle = () => {
    const all = stops()
    const first = start === undefined ? undefined : all.find(one => one.matches(start))
    const stop = all.find(one => one === last.current) ?? first ?? all[0]
    for (const one of controls()) one.tabIndex = one === stop ? 0 : -1
  }
  // After each render: it may have shown or hidden a control.
  useLayoutEffect(settle)
  // A part may add or remove its control by itself.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads the present elements only
  useLayoutEffect(() => {
    const observer = new MutationObserver(settle)
    observer.observe(own.current!, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  const keyed = (event: KeyboardEvent) => {
    const { key, target } = event
    const all = stops()
    const at = all.indexOf(target as HTMLElement)
    const isRightToLeft = document.documentElement.dir === 'rtl'
    const forward = isRightToLeft ? 'ArrowLeft' : 'ArrowRight'
    const back = isRightToLeft ? 'ArrowRight' : 'ArrowLeft'
    const to = { [forward]: at + 1, [back]: at - 1, Home: 0, End: all.length - 1 }[key]
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey
    if (at === -1 || to === undefined || !isPlain) return
    if (target instanceof HTMLInputElement && movesCaret(target, key)) return
    event.preventDefault()
    // A closed list would choose another row.
    event.stopPropagation()
    all[(to + all.length) % all.length]!.focus()
  }
  return (
    <div
      ref={own}
      role="toolbar"
      aria-label={label}
      className={className}
      onKeyDownCapture={keyed}
      onFocus={({ target }) => {
        last.current = target
        settle()
      }}
    >
      {children}
    </div>
  )
}

/** In a field of text a key moves the caret, until it is at that end. */
function movesCaret(field: HTMLInputElement, key: string): boolean {
  const { value, selectionStart, selectionEnd } = field
  if (value === '') return false
  if (key === 'Home' || key === 'End' || selectionStart !== selectionEnd) return true
  const isBack = (key === 'ArrowLeft') === (getComputedStyle(field).direction === 'ltr')
  return isBack ? selectionStart! > 0 : selectionEnd! < value.length
}

interface ToggleProps {
  className: string | undefined
  'aria-label'?: string
  isOn: boolean
  onChange: (on: boolean) => void
  children: ReactNode
}

/** A button that is on or off. The class decides its looks. */
export const Toggle = ({ isOn, onChange, ...attributes }: ToggleProps) => (
  <button {...attributes} type="button" aria-pressed={isOn} onClick={() => onChange(!isOn)} />
)
