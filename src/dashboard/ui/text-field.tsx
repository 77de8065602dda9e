/** Native form fields: a label above, a hint and the fault below. */
import { type ChangeEvent, type FormEvent, type InputHTMLAttributes, type ReactNode, useId, useState } from 'react'
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
    'aria-describedby':
      [hint !== undefined && `${id}hint`, wrong && `${id}wrong`].filter(Boolean).join(' ') || undefined,
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
    <div className={styles.field}>
      {label !== undefined && (
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
      )}
      {lines === undefined ? <input type="text" {...shared} /> : <textarea rows={lines} {...shared} />}
      {hint !== undefined && (
        <span id={`${id}hint`} className={styles.hint}>
          {hint}
        </span>
      )}
      {wrong && (
        <span id={`${id}wrong`} className={styles.error}>
          {wrong}
        </span>
      )}
    </div>
  )
}
