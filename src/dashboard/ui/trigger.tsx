/** A button that React Aria knows: what opens a menu, or has a tooltip. */
import { Button, type ButtonProps } from 'react-aria-components'
import { classOf, type Look } from './button.tsx'

/** Looks like any other. */
export function Trigger({ look, small, icon, children, ...props }: Look & Omit<ButtonProps, 'children' | 'className'>) {
  return (
    <Button {...props} className={classOf({ look, small, children })}>
      {icon}
      {children}
    </Button>
  )
}
