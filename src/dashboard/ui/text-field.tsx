/** Native form fields: a label above, a hint and the fault below. */
import {
  type ChangeEvent,
  type FormEvent,
  type InputHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  useId,
  useState,
} from 'react'
import styles from './field.module.css'

type Attributes = Omit<InputHTMLAttributes<HTMLInputElement | HTMLTextAreaElement>, 'onChange' | 'className' | 'value'>

interface Props extends Attributes {
  /** Without one it needs an `aria-label`. */
  label?: ReactNode
  hint?: ReactNode
  /** The fault, from a check or the server; '' is none. */
  error?: string
  lines?: number
  /** In the font of code: slugs, keys, tags. */
  code?: boolean
  value: string
  onChange?: (value: string) => void
  isRequired?: boolean
  isReadOnly?: boolean
  isDisabled?: boolean
}

/** A text field; a textarea with `lines`. */
export function TextField(props: Props) {
  const { label, hint, error, lines, code, onChange, isRequired, isReadOnly, isDisabled, ...attributes } = props
  const id = useId()
  // The browser's words on why it does not send the form.
  const [refusal, setRefusal] = useState('')
  const wrong = error || refusal
  const shared = {
    ...attributes,
    id,
    className: [styles.input, code && styles.code].filter(Boolean).join(' '),
    dir: 'auto',
    required: isRequired,
    readOnly: isReadOnly,
    disabled: isDisabled,
    'aria-invalid': wrong ? true : undefined,
    'aria-describedby': describedBy({ id, hint, error: wrong }),
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setRefusal('')
      onChange?.(currentTarget.value)
    },
    onInvalid: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      // Shown below the field instead of the browser's bubble, which disappears.
      event.preventDefault()
      const field = event.currentTarget
      setRefusal(field.validationMessage)
      if (field.form?.querySelector('input:invalid, textarea:invalid') === field) field.focus()
    },
  }
  return (
    <FieldFrame id={id} label={label} hint={hint} error={wrong}>
      {lines === undefined ? <input type="text" {...shared} /> : <textarea rows={lines} {...shared} />}
    </FieldFrame>
  )
}

interface FrameProps {
  /** Of the control. */
  id: string
  label: ReactNode
  hint: ReactNode
  error: string | undefined
  /** Of a control that a press of its label would press, too. */
  onLabel?: () => void
  children: ReactNode
}

/** The ids of what explains a control. */
export const describedBy = ({ id, hint, error }: Pick<FrameProps, 'id' | 'hint' | 'error'>): string | undefined =>
  [hint !== undefined && `${id}hint`, error && `${id}wrong`].filter(Boolean).join(' ') || undefined

/** A control with the label above it, the hint and the fault below. */
export function FieldFrame({ id, label, hint, error, onLabel, children }: FrameProps) {
  const pressed = (event: MouseEvent) => {
    if (!onLabel) return
    event.preventDefault()
    onLabel()
  }
  return (
    <div className={styles.field}>
      {label !== undefined && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a label has no focus
        <label id={`${id}label`} htmlFor={id} className={styles.label} onClick={pressed}>
          {label}
        </label>
      )}
      {children}
      {hint !== undefined && (
        <span id={`${id}hint`} className={styles.hint}>
          {hint}
        </span>
      )}
      {error && (
        <span id={`${id}wrong`} className={styles.error}>
          {error}
        </span>
      )}
    </div>
  )
}
