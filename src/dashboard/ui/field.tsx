/** Fields of forms: a label above, a hint and what is wrong below. */
import type { HTMLInputAutoCompleteAttribute, ReactNode } from 'react'
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from 'react-aria-components'
import styles from './field.module.css'

interface Props extends Omit<AriaTextFieldProps, 'children' | 'className'> {
  /** Without one it takes an `aria-label`. */
  label?: ReactNode
  hint?: ReactNode
  /** What the server or a check says is wrong; empty says nothing. */
  error?: string
  lines?: number
  placeholder?: string
  autoComplete?: HTMLInputAutoCompleteAttribute
  /** In the font of code: slugs, keys, tags. */
  code?: boolean
}

/** One text; several lines with `lines`. */
export function TextField({ label, hint, error, lines, placeholder, code, ...props }: Props) {
  const look = [styles.input, code && styles.code].filter(Boolean).join(' ')
  return (
    <AriaTextField {...props} isInvalid={props.isInvalid || !!error} className={styles.field!}>
      {label !== undefined && <Label className={styles.label!}>{label}</Label>}
      {lines === undefined ? (
        <Input placeholder={placeholder} className={look} dir="auto" />
      ) : (
        <TextArea rows={lines} placeholder={placeholder} className={look} dir="auto" />
      )}
      {hint !== undefined && (
        <Text slot="description" className={styles.hint!}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error!}>{error || undefined}</FieldError>
    </AriaTextField>
  )
}
