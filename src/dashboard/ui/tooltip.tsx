/** A few words beside what has the pointer or the focus. */
import type { ReactElement, ReactNode } from 'react'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components'
import styles from './tooltip.module.css'

/** @param children the control that it explains: a `Trigger` */
export function Tooltip({ words, children }: { words: ReactNode; children: ReactElement }) {
  return (
    <TooltipTrigger delay={500} closeDelay={100}>
      {children}
      <AriaTooltip className={styles.tooltip!} offset={6}>
        {words}
      </AriaTooltip>
    </TooltipTrigger>
  )
}
