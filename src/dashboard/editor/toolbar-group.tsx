/** Buttons with one Tab stop: arrows go from one to the next. */
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'

interface Props {
  label: string
  className: string | undefined
  children: ReactNode
}

/** WAI-ARIA's toolbar. The last button with the focus is the Tab stop. */
export function ToolbarGroup({ label, className, children }: Props) {
  const own = useRef<HTMLDivElement>(null)
  const last = useRef<HTMLElement>(null)
  const buttons = () => [...own.current!.querySelectorAll<HTMLElement>('button')]
  const stops = () => buttons().filter(button => button.checkVisibility({ visibilityProperty: true }))
  const settle = () => {
    const all = stops()
    const stop = all.find(one => one === last.current) ?? all[0]
    for (const one of buttons()) one.tabIndex = one === stop ? 0 : -1
  }
  // After each render: it may have added or removed a button.
  useLayoutEffect(settle)
  const keyed = (event: KeyboardEvent) => {
    const all = stops()
    const at = all.indexOf(event.target as HTMLElement)
    const isRightToLeft = document.documentElement.dir === 'rtl'
    const forward = isRightToLeft ? 'ArrowLeft' : 'ArrowRight'
    const back = isRightToLeft ? 'ArrowRight' : 'ArrowLeft'
    const to = { [forward]: at + 1, [back]: at - 1, Home: 0, End: all.length - 1 }[event.key]
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey
    if (at === -1 || to === undefined || !isPlain) return
    event.preventDefault()
    all[(to + all.length) % all.length]!.focus()
  }
  return (
    <div
      ref={own}
      role="toolbar"
      aria-label={label}
      className={className}
      onKeyDown={keyed}
      onFocus={({ target }) => {
        last.current = target
        settle()
      }}
    >
      {children}
    </div>
  )
}
