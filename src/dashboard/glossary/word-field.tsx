/** A list of words: each a chip, and a field for more. */
import { X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { directionOf } from '../i18n/languages.ts'
import field from '../ui/field.module.css'
import styles from './glossary.module.css'
import { quoted, splitWords, unquoted } from './split-words.ts'

interface Props {
  label: string
  /** The label with the language, unique in the form. */
  name: string
  /** Of the words, BCP 47. */
  language: string
  words: readonly string[]
  onChange: (words: readonly string[]) => void
  error: string
}

/** Enter, a comma and leaving the field add the typed word. Backspace in the empty field returns the last one. */
export function WordField({ label, name, language, words, onChange, error }: Props) {
  const { t } = useTranslation('glossary')
  const id = useId()
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const add = (more: readonly string[], rest: string) => {
    if (more.length > 0) onChange([...new Set([...words, ...more])])
    setTyped(rest)
  }
  const finish = () => {
    const { words, rest } = splitWords(typed)
    add(
      [...words, unquoted(rest)].filter(word => word !== ''),
      '',
    )
  }
  return (
    <div className={field.field}>
      <label htmlFor={id} className={field.label}>
        {label}
      </label>
      <div className={styles.words} lang={language} dir={directionOf(language)}>
        {words.map(word => (
          <span key={word} className={styles.word}>
            <bdi>{word}</bdi>
            <button
              type="button"
              aria-label={t('removeWord', { word, list: name })}
              onClick={() => {
                onChange(words.filter(other => other !== word))
                input.current?.focus()
              }}
            >
              <X aria-hidden />
            </button>
          </span>
        ))}
        <input
          ref={input}
          id={id}
          aria-label={name}
          aria-invalid={error !== '' || undefined}
          aria-describedby={error === '' ? undefined : `${id}wrong`}
          autoComplete="off"
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            const { words, rest } = splitWords(value)
            add(words, words.length > 0 ? rest.trimStart() : rest)
          }}
          onPaste={event => {
            // The field itself would join the lines.
            const text = event.clipboardData.getData('text/plain')
            if (!/[\r\n]/.test(text.trim())) return
            event.preventDefault()
            add(splitWords(`${typed}${text.replaceAll('\r', '')}\n`).words, '')
          }}
          onKeyDown={event => {
            if (event.nativeEvent.isComposing) return
            if (event.key === 'Enter' && typed.trim() !== '') {
              event.preventDefault()
              finish()
            } else if (event.key === 'Backspace' && typed === '' && words.length > 0) {
              event.preventDefault()
              setTyped(quoted(words.at(-1)!))
              onChange(words.slice(0, -1))
            }
          }}
          onBlur={finish}
        />
      </div>
      {error !== '' && (
        <span id={`${id}wrong`} className={field.error}>
          {error}
        </span>
      )}
    </div>
  )
}
