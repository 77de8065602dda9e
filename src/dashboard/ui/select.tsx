/** A choice of one. */
import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  Select as AriaSelect,
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from 'react-aria-components'
import field from './field.module.css'
import styles from './select.module.css'

/** One choice: `id` is its value, `note` a quiet second line. */
export interface Choice<Id extends string = string> {
  id: Id
  label: string
  note?: string
}

interface Props<Id extends string> {
  label: ReactNode
  /** The label is told to screen readers alone. */
  hideLabel?: boolean
  choices: readonly Choice<Id>[]
  value: Id | null
  onChange: (value: Id) => void
  hint?: ReactNode
  error?: string
  isDisabled?: boolean
}

/** A button with a list; typing jumps to a choice. */
export function Select<Id extends string>({
  label,
  hideLabel,
  choices,
  value,
  onChange,
  hint,
  error,
  ...props
}: Props<Id>) {
  return (
    <AriaSelect
      {...props}
      {...(hideLabel && { 'aria-label': String(label) })}
      selectedKey={value}
      onSelectionChange={key => key !== null && onChange(key as Id)}
      isInvalid={!!error}
      className={field.field!}
    >
      {!hideLabel && <Label className={field.label!}>{label}</Label>}
      <Button className={`${field.input} ${styles.button}`}>
        <SelectValue className={styles.value!} />
        <ChevronDown aria-hidden className={styles.arrow} />
      </Button>
      {hint !== undefined && (
        <Text slot="description" className={field.hint!}>
          {hint}
        </Text>
      )}
      <FieldError className={field.error!}>{error || undefined}</FieldError>
      <Popover className={styles.popover!}>
        <ListBox items={choices} className={styles.list!}>
          {choice => (
            <ListBoxItem id={choice.id} textValue={choice.label} className={styles.choice!}>
              <Check aria-hidden className={styles.check} />
              <span>
                <Text slot="label">{choice.label}</Text>
                {choice.note !== undefined && (
                  <Text slot="description" className={styles.note!}>
                    {choice.note}
                  </Text>
                )}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
