/** Buttons, and links that look like them. */
import type { ReactNode } from 'react'
import { Link, type LinkProps, Button as Press, type ButtonProps as PressProps } from 'react-aria-components'
import styles from './button.module.css'

/** `primary` is the one thing to do next; `danger` cannot simply be taken back; `quiet` has no frame. */
export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger'

interface Look {
  look?: ButtonLook
  small?: boolean
  /** Stands before the words; alone it needs an `aria-label`. */
  icon?: ReactNode
  children?: ReactNode
}

const classOf = (look: ButtonLook = 'plain', small = false, bare = false) =>
  [styles.button, styles[look], small && styles.small, bare && styles.bare].filter(Boolean).join(' ')

/** A button; `isPending` keeps its place and its focus while it works. */
export function Button({ look, small, icon, children, ...props }: Look & Omit<PressProps, 'children' | 'className'>) {
  return (
    <Press {...props} className={classOf(look, small, children === undefined)}>
      {icon}
      {children}
    </Press>
  )
}

/** A link to an address of the page (`/projects/web`), or with `href` to any other. */
export function ButtonLink({
  to,
  look,
  small,
  icon,
  children,
  ...props
}: Look & { to?: string } & Omit<LinkProps, 'children' | 'className'>) {
  return (
    <Link
      {...props}
      {...(to !== undefined && { href: `#${to}` })}
      className={classOf(look, small, children === undefined)}
    >
      {icon}
      {children}
    </Link>
  )
}
