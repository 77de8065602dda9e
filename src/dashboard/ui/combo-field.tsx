/** A text with suggestions. */
import { ChevronDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useContext } from 'react'
import {
  Button,
  ComboBox,
  ComboBoxStateContext,
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
import field from './field.module.css'
import styles from './select.module.css'
import type { SelectChoice } from './select-list.tsx'
import { Spoken } from './spoken.tsx'

interface Props {
  label: ReactNode
  hint?: ReactNode
  error?: string
  /** Found by label, note and id. */
  items: readonly SelectChoice[]
  /** `items` are the suggestions for the typed text, the best first. Enter chooses the first. */
  ranked?: boolean
  /** The content of the field: the id of the chosen item, or the typed text. */
  value: string
  onChange: (value: string) => void
  autoFocus?: boolean
}

/** Typed text is a valid value. Choosing a suggestion writes its id. */
export const ComboField = (props: Props) => (
  <Spoken>
    <Suggesting {...props} />
  </Spoken>
)

function Suggesting({ label, hint, error, items, ranked = false, value, onChange, autoFocus }: Props) {
  const { contains } = useFilter({ sensitivity: 'base' })
  const fitting = ranked
    ? items
    : items.filter(({ id, label, note = '' }) => value === id || [id, label, note].some(text => contains(text, value)))
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
      <FirstByEnter first={ranked && value !== '' ? fitting[0]?.id : undefined}>
        <Input className={field.input!} dir="auto" />
        <Button className={classOf({ look: 'quiet', small: true })}>
          <ChevronDown aria-hidden />
        </Button>
      </FirstByEnter>
      {hint !== undefined && (
        <Text slot="description" className={field.hint!}>
          {hint}
        </Text>
      )}
      <FieldError className={field.error!}>{error || undefined}</FieldError>
      <Popover className={styles.popover!}>
        <ListBox<SelectChoice> className={`${styles.list} ${styles.suggestions}`}>
          {({ id, label, note }) => (
            <ListBoxItem id={id} textValue={id} className={styles.choice!}>
              <span>
                <Text slot="label">{label}</Text>
                {note !== undefined && (
                  <Text slot="description" className={styles.note!}>
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

/** The row of the field. Enter chooses the first suggestion while the list is open and none is focused. */
function FirstByEnter({ first, children }: { first: string | undefined; children: ReactNode }) {
  const state = useContext(ComboBoxStateContext)
  const onKeyDownCapture = ({ key }: KeyboardEvent) => {
    if (key !== 'Enter' || first === undefined || !state?.isOpen) return
    if (state.selectionManager.focusedKey === null) state.selectionManager.setFocusedKey(first)
  }
  return (
    <div className={styles.combo} onKeyDownCapture={onKeyDownCapture}>
      {children}
    </div>
  )
}
