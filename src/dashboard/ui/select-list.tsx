/** The list of a choice, while it is open. */
import { Check } from 'lucide-react'
import { ListBox, ListBoxItem, Popover } from 'react-aria-components'
import type { OpenedList } from './opener.ts'
import styles from './select.module.css'
import { Spoken } from './spoken.tsx'

/** A choice: `id` is its value, `note` a quiet second line. */
export interface SelectChoice<Id extends string = string> {
  id: Id
  label: string
  note?: string
}

interface Props extends OpenedList {
  labelledBy: string
  choices: readonly SelectChoice[]
  value: string | null
  onChange: (value: string) => void
}

/** Choosing the chosen row again closes the list, too. */
const AGAIN = { allowDuplicateSelectionEvents: true }

/** Below its button, and as wide at least. */
export default function SelectList({ trigger, id, autoFocus, onClose, labelledBy, choices, value, onChange }: Props) {
  return (
    <Spoken>
      <Popover
        isOpen
        onOpenChange={onClose}
        trigger="Select"
        triggerRef={trigger}
        className={styles.popover!}
        placement="bottom start"
        aria-labelledby={labelledBy}
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
      </Popover>
    </Spoken>
  )
}
