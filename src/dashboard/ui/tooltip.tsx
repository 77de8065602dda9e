/** A few words beside what has the pointer or the focus. */
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { late } from './late.tsx'
import styles from './tooltip.module.css'

const Words = late(() => import('./tooltip-words.tsx'), 'silent')

const OPEN_MS = 500
const CLOSE_MS = 100

/** @param children the button that it explains; the button's own name has the same words for screen readers */
export function Tooltip({ words, children }: { words: ReactNode; children: ReactElement }) {
  const around = useRef<HTMLSpanElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = (isOpen: boolean, after = 0) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(setIsOpen, after, isOpen)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only hears of what its button gets */}
      <span
        ref={around}
        className={styles.around}
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && show(true, OPEN_MS)}
        onPointerLeave={() => show(false, CLOSE_MS)}
        onFocus={({ target }) => target.matches(':focus-visible') && show(true)}
        onBlur={() => show(false)}
        onPointerDown={() => show(false)}
        onKeyDown={({ key }) => (key === 'Escape' || key === 'Enter' || key === ' ') && show(false)}
      >
        {children}
      </span>
      {isOpen && (
        <Words around={around} onOpen={() => show(true)} onClose={() => show(false, CLOSE_MS)}>
          {words}
        </Words>
      )}
    </>
  )
}
