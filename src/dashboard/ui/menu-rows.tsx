/** The rows of a menu, while it is open. */
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Menu as AriaMenu, MenuItem, MenuSection, Separator, Text } from 'react-aria-components'
import menuStyles from './menu.module.css'
import styles from './select.module.css'
import { ListPopover, type OpenedList } from './spoken.tsx'

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

interface MenuProps extends OpenedList {
  rows: readonly MenuRow[]
  label: string
  /** Of the rows with a state one is chosen, or any number. */
  chooses?: 'one' | 'any' | undefined
}

/** The rows with a state, then those that do something. */
export default function MenuRows({ trigger, id, autoFocus, onClose, rows, label, chooses }: MenuProps) {
  const states = rows.filter(({ isOn }) => isOn !== undefined)
  return (
    <ListPopover trigger="MenuTrigger" triggerRef={trigger} placement="bottom end" aria-label={label} onClose={onClose}>
      <AriaMenu id={id} className={styles.list!} aria-label={label} autoFocus={autoFocus} onClose={onClose}>
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
            ...(row.apart ? [<Separator key={`${row.id}-apart`} className={menuStyles.line!} />] : []),
            itemOf(row, states.length > 0),
          ])}
      </AriaMenu>
    </ListPopover>
  )
}

/** @param isIndented whether its words begin where those of a chosen row do */
const itemOf = ({ id, label, icon, note, isOn, danger, onAction, to }: MenuRow, isIndented: boolean) => (
  <MenuItem
    key={id}
    id={id}
    textValue={label}
    className={`${styles.choice} ${danger ? menuStyles.danger : ''} ${menuStyles.row}`}
    {...(onAction && { onAction })}
    {...(to !== undefined && { href: `#${to}` })}
  >
    {isOn ? <Check aria-hidden /> : (icon ?? (isIndented && <svg aria-hidden />))}
    {/* Of a link all that is seen has to be in its name. */}
    <Text slot="label">
      {label}
      {note !== undefined && <span className={styles.note!}> {note}</span>}
    </Text>
  </MenuItem>
)
