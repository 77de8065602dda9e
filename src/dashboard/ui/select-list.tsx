/** The list of a choice, while it is open. */
import { Check } from 'lucide-react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import styles from './select.module.css'
import { ListPopover, type OpenedList } from './spoken.tsx'

/** A choice: `id` is its value, `note` a quiet second line. */
export interface SelectChoice<Id extends string = string> {
  id: Id
  label: string
  note?: string
}

interface SelectProps extends OpenedList {
  labelledBy: string
  choices: readonly SelectChoice[]
  value: string | null
  onChange: (value: string) => void
}

/** Choosing the chosen row again closes the list, too. */
const AGAIN = { allowDuplicateSelectionEvents: true }

/** The choices, as wide as the button at least. */
export default function SelectList({
  trigger,
  id,
  autoFocus,
  onClose,
  labelledBy,
  choices,
  value,
  onChange,
}: SelectProps) {
  return (
    <ListPopover
      trigger="Select"
      triggerRef={trigger}
      placement="bottom start"
      aria-labelledby={labelledBy}
      onClose={onClose}
    >
      <ListBox
        {...AGAIN}
        id={id}
        aria-labelledby={labelledBy}
        items={choices}
        className={styles.list!}
        autoFocus={autoFocus}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={value === null ? [] : [value]}
        shouldSelectOnPressUp
        shouldFocusOnHover
        onSelectionChange={chosen => {
          onClose()
          for (const key of chosen) onChange(String(key))
        }}
      >
        {choice => (
          <ListBoxItem id={choice.id} textValue={choice.label} className={styles.choice!}>
            <Check aria-hidden className={styles.check} />
            <span>
              {/* Its name is all of its words: a slot for the note would leave them out of it. */}
              {choice.label} {choice.note !== undefined && <span className={styles.note}>{choice.note}</span>}
            </span>
          </ListBoxItem>
        )}
      </ListBox>
    </ListPopover>
  )
}
