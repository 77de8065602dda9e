/** The words of a tooltip, while they are shown. */
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { Tooltip, TooltipTriggerStateContext } from 'react-aria-components'
import styles from './tooltip.module.css'

interface Props {
  /** The element around the button. */
  around: RefObject<HTMLElement | null>
  /** The pointer may rest on the words (WCAG 1.4.13). Scrolling removes them. */
  onOpen: () => void
  onClose: () => void
  children: ReactNode
}

export default function TooltipWords({ around, onOpen, onClose, children }: Props) {
  const button = useRef(around.current?.firstElementChild ?? null)
  // Text outside all landmarks breaks axe's rule `region`.
  const [landmark] = useState(() => around.current?.closest('main, header') ?? undefined)
  const state = { isOpen: true, shouldSkipAnimation: true, open: onOpen, close: onClose }
  return (
    <TooltipTriggerStateContext value={state}>
      <Tooltip
        triggerRef={button}
        className={styles.tooltip!}
        offset={6}
        {...(landmark && { UNSTABLE_portalContainer: landmark })}
      >
        {children}
      </Tooltip>
    </TooltipTriggerStateContext>
  )
}
