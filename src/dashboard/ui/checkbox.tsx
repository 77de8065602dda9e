/** A yes or no. */
import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components'
import styles from './checkbox.module.css'

/** The children are its label and part of its target. Without children it needs an `aria-label`. */
export function Checkbox({
  children,
  ...props
}: Omit<CheckboxProps, 'children' | 'className'> & { children?: ReactNode }) {
  return (
    <AriaCheckbox {...props} className={styles.checkbox!}>
      <span className={styles.box} aria-hidden>
        {props.isIndeterminate ? <Minus /> : <Check />}
      </span>
      {children !== undefined && <span>{children}</span>}
    </AriaCheckbox>
  )
}
