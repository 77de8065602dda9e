/** A text with suggestions. */
import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  Button,
  ComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
  useFilter,
} from 'react-aria-components'
import { classOf } from './button.tsx'
import styles from './combo.module.css'
import field from './field.module.css'
import select from './select.module.css'
import type { Choice } from './select-list.tsx'
import { Spoken } from './spoken.tsx'

interface Props {
  label: ReactNode
  hint?: ReactNode
  error?: string
  /** Found by label, note and id. */
  items: readonly Choice[]
  /** What stands in the field: the id of what was chosen, or whatever was typed. */
  value: string
  onChange: (value: string) => void
  autoFocus?: boolean
}

/** What is typed counts as it is; choosing a suggestion writes its id. */
export const ComboField = (props: Props) => (
  <Spoken>
    <Suggesting {...props} />
  </Spoken>
)

function Suggesting({ label, hint, error, items, value, onChange, autoFocus }: Props) {
  const { contains } = useFilter({ sensitivity: 'base' })
  const fitting = items.filter(
    ({ id, label, note = '' }) => value === id || [id, label, note].some(text => contains(text, value)),
  )
  return (
    <ComboBox
      className={field.field!}
      inputValue={value}
      onInputChange={onChange}
      onSelectionChange={key => key !== null && onChange(String(key))}
      items={fitting}
      allowsCustomValue
      menuTrigger="input"
      isInvalid={!!error}
      {...(autoFocus && { autoFocus })}
    >
      <Label className={field.label!}>{label}</Label>
      <div className={styles.row}>
        <Input className={field.input!} dir="auto" />
        <Button className={classOf({ look: 'quiet', small: true })}>
          <ChevronDown aria-hidden />
        </Button>
      </div>
      {hint !== undefined && (
        <Text slot="description" className={field.hint!}>
          {hint}
        </Text>
      )}
      <FieldError className={field.error!}>{error || undefined}</FieldError>
      <Popover className={select.popover!}>
        <ListBox<Choice> className={`${select.list} ${styles.list}`}>
          {({ id, label, note }) => (
            <ListBoxItem id={id} textValue={id} className={select.choice!}>
              <span>
                <Text slot="label">{label}</Text>
                {note !== undefined && (
                  <Text slot="description" className={select.note!}>
                    {note}
                  </Text>
                )}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
