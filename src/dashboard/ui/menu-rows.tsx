/** The rows of a menu, while it is open. */
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Menu as AriaMenu, MenuItem, MenuSection, Popover, Separator, Text } from 'react-aria-components'
import styles from './menu.module.css'
import type { OpenedList } from './opener.ts'
import select from './select.module.css'
import { Spoken } from './spoken.tsx'

/** A row that runs an action or links to an address of the dashboard. */
export interface MenuRow {
  id: string
  label: string
  icon?: ReactNode
  note?: string
  /** Of a row with a state, which screen readers say: chosen, or not. */
  isOn?: boolean
  danger?: boolean
  /** A line above it. */
  apart?: boolean
  onAction?: () => void
  to?: string
}

interface Props extends OpenedList {
  rows: readonly MenuRow[]
  label: string
  /** Of the rows with a state one is chosen, or any number. */
  chooses?: 'one' | 'any' | undefined
}

/** Below its button: the rows with a state, then those that do something. */
export default function MenuRows({ trigger, id, autoFocus, onClose, rows, label, chooses }: Props) {
  const states = rows.filter(({ isOn }) => isOn !== undefined)
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
          {states.length > 0 && (
            <MenuSection
              aria-label={label}
              selectionMode={chooses === 'one' ? 'single' : 'multiple'}
              selectedKeys={states.filter(({ isOn }) => isOn).map(({ id }) => id)}
              shouldCloseOnSelect
            >
              {states.map(row => itemOf(row, true))}
            </MenuSection>
          )}
          {rows
            .filter(({ isOn }) => isOn === undefined)
            .flatMap(row => [
              ...(row.apart ? [<Separator key={`${row.id}-apart`} className={styles.line!} />] : []),
              itemOf(row, states.length > 0),
            ])}
        </AriaMenu>
      </Popover>
    </Spoken>
  )
}

/** @param isIndented whether its words begin where those of a chosen row do */
const itemOf = ({ id, label, icon, note, isOn, danger, onAction, to }: MenuRow, isIndented: boolean) => (
  <MenuItem
    key={id}
    id={id}
    textValue={label}
    className={`${select.choice} ${danger ? styles.danger : ''} ${styles.row}`}
    {...(onAction && { onAction })}
    {...(to !== undefined && { href: `#${to}` })}
  >
    {isOn ? <Check aria-hidden /> : (icon ?? (isIndented && <svg aria-hidden />))}
    {/* Of a link all that is seen has to be in its name. */}
    <Text slot="label">
      {label}
      {note !== undefined && <span className={select.note!}> {note}</span>}
    </Text>
  </MenuItem>
)
