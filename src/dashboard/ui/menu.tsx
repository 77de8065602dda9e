/** A menu behind a button. */
import type { ReactElement, ReactNode } from 'react'
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover, Separator, Text } from 'react-aria-components'
import styles from './menu.module.css'
import select from './select.module.css'

/** One row: does something, or leads to an address of the page. */
export interface Row {
  id: string
  label: string
  icon?: ReactNode
  note?: string
  danger?: boolean
  /** A line above it. */
  apart?: boolean
  onAction?: () => void
  to?: string
}

interface Props {
  /** What opens it: a `Trigger`. */
  button: ReactElement
  rows: readonly Row[]
  label: string
  /** With {@link Props.onOpenChange}: something else opens it too. */
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
}

/** Choosing closes it. */
export function Menu({ button, rows, label, isOpen, onOpenChange }: Props) {
  return (
    <MenuTrigger {...(isOpen !== undefined && { isOpen })} {...(onOpenChange && { onOpenChange })}>
      {button}
      <Popover className={select.popover!} placement="bottom end">
        <AriaMenu className={select.list!} aria-label={label}>
          {rows.flatMap(({ id, label, icon, note, danger, apart, onAction, to }) => [
            ...(apart ? [<Separator key={`${id}-apart`} className={styles.line!} />] : []),
            <MenuItem
              key={id}
              id={id}
              textValue={label}
              className={`${select.choice} ${danger ? styles.danger : ''} ${styles.row}`}
              {...(onAction && { onAction })}
              {...(to !== undefined && { href: `#${to}` })}
            >
              {icon}
              {/* Of a link all that is seen has to be in its name. */}
              <Text slot="label">
                {label}
                {note !== undefined && <span className={select.note!}> {note}</span>}
              </Text>
            </MenuItem>,
          ])}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}
