/** Buttons, and links that look like them: the browser's own, so that who signs in loads nothing for them. */
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react'
import styles from './button.module.css'
import { useFocusReturn } from './focus.ts'

/** `primary` is the main action; `danger` cannot easily be undone; `quiet` has no frame. */
export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger'

/** The appearance of a button. */
export interface ButtonAppearance {
  look?: ButtonLook | undefined
  small?: boolean | undefined
  /** Stands before the words; alone it needs an `aria-label`. */
  icon?: ReactNode
  children?: ReactNode
}

/** The classes of a button. */
export const classOf = ({ look = 'plain', small, children }: ButtonAppearance): string =>
  [styles.button, styles[look], small && styles.small, children === undefined && styles.bare].filter(Boolean).join(' ')

interface Props
  extends ButtonAppearance,
    Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'className' | 'onClick'> {
  onPress?: () => unknown
  isDisabled?: boolean | undefined
  /** A busy button stays in place with its focus, and ignores clicks. */
  isPending?: boolean | undefined
  /** The focus stays where it is. */
  preventFocusOnPress?: boolean
}

/** A button. A button with a menu or a tooltip is a `Trigger`. */
export function Button(props: Props) {
  const { look, small, icon, children, type = 'button', onPress, isDisabled, isPending, ...rest } = props
  const { preventFocusOnPress = false, ...attributes } = rest
  // A submit button is often disabled after success. A natively disabled button would lose the focus.
  const isIdle = isPending || (isDisabled && type === 'submit')
  const button = useFocusReturn<HTMLButtonElement>()
  return (
    <button
      {...attributes}
      ref={button}
      type={type}
      disabled={isDisabled && !isIdle}
      aria-disabled={isIdle || undefined}
      className={classOf({ look, small, children })}
      onMouseDown={event => preventFocusOnPress && event.preventDefault()}
      onClick={event => {
        // Safari does not focus a clicked button, and a dialog returns the focus to the element that had it. A submit
        // by Enter is not a click: the focus stays in the field.
        if (!preventFocusOnPress && event.detail > 0) event.currentTarget.focus({ preventScroll: true })
        // Enter in a field of its form presses it, too.
        if (isIdle) event.preventDefault()
        else onPress?.()
      }}
    >
      {icon}
      {children}
    </button>
  )
}

interface LinkProps extends ButtonAppearance, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'children' | 'className'> {
  to?: string
}

/** A link to an address of the dashboard (`/projects/web`), or with `href` to any other. */
export function ButtonLink({ to, look, small, icon, children, href, ...attributes }: LinkProps) {
  return (
    <a {...attributes} href={to === undefined ? href : `#${to}`} className={classOf({ look, small, children })}>
      {icon}
      {children}
    </a>
  )
}
