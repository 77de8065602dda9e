/** The rows of a menu, while it is open. */
import type { ReactNode } from 'react'
import { Menu as AriaMenu, MenuItem, Popover, Separator, Text } from 'react-aria-components'
import styles from './menu.module.css'
import type { Opened } from './opener.ts'
import select from './select.module.css'
import { Spoken } from './spoken.tsx'

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

interface Props extends Opened {
  rows: readonly Row[]
  label: string
}

/** Below its button. */
export default function MenuRows({ trigger, id, autoFocus, onClose, rows, label }: Props) {
  return (
    <Spoken>
      <Popover
        isOpen
        onOpenChange={onClose}
        trigger="MenuTrigger"
        triggerRef={trigger}
        className={select.popover!}
        placement="bottom end"
        aria-label={label}
      >
        <AriaMenu id={id} className={select.list!} aria-label={label} autoFocus={autoFocus} onClose={onClose}>
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
    </Spoken>
  )
}
