/** A field without highlights. */
import { useImperativeHandle, useRef } from 'react'
import { directionOf } from '../../i18n/languages.ts'
import type { TranslationFieldProps } from './field-props.ts'
import styles from './translation-field.module.css'
import { useOutside } from './use-outside.ts'

/** See the top of the file. */
export function AreaField({
  value,
  onInput,
  language,
  label,
  describedBy,
  invalid,
  isReadOnly = false,
  tabIndex,
  onKeyDown,
  onFocus,
  onBlur,
  ref,
}: TranslationFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const outside = useOutside(area, value, (field, text) => {
    field.value = text
  })
  const typed = () => {
    const text = area.current!.value
    outside.typed(text)
    onInput(text)
  }
  const insert = (text: string) => {
    if (isReadOnly) return
    area.current!.focus()
    if (document.execCommand('insertText', false, text)) return
    area.current!.setRangeText(text, area.current!.selectionStart, area.current!.selectionEnd, 'end')
    typed()
  }
  useImperativeHandle(ref, () => ({
    focus: () => area.current!.focus(),
    insert,
    replaceAll(text) {
      area.current!.select()
      insert(text)
    },
    get text() {
      return area.current!.value
    },
  }))
  return (
    <textarea
      ref={area}
      className={styles.field}
      lang={language}
      dir={directionOf(language)}
      translate="no"
      spellCheck
      rows={1}
      readOnly={isReadOnly}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      tabIndex={tabIndex}
      onInput={event => !(event.nativeEvent as InputEvent).isComposing && typed()}
      onCompositionEnd={typed}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onBlur={event => {
        outside.left()
        onBlur?.(event)
      }}
    />
  )
}
