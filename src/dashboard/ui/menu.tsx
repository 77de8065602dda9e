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
  isDisabled?: boolean
}

/** @param button what opens it: a {@link Button} */
export function Menu({ button, rows, label }: { button: ReactElement; rows: readonly Row[]; label: string }) {
  return (
    <MenuTrigger>
      {button}
      <Popover className={select.popover!} placement="bottom end">
        <AriaMenu className={select.list!} aria-label={label}>
          {rows.flatMap(({ id, label, icon, note, danger, apart, onAction, to, isDisabled }) => [
            ...(apart ? [<Separator key={`${id}-apart`} className={styles.line!} />] : []),
            <MenuItem
              key={id}
              id={id}
              textValue={label}
              className={`${select.choice} ${danger ? styles.danger : ''} ${styles.row}`}
              {...(isDisabled && { isDisabled })}
              {...(onAction && { onAction })}
              {...(to !== undefined && { href: `#${to}` })}
            >
              {icon}
              <span>
                <Text slot="label">{label}</Text>
                {note !== undefined && (
                  <Text slot="description" className={select.note!}>
                    {note}
                  </Text>
                )}
              </span>
            </MenuItem>,
          ])}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}
