/** A list of words: each a chip, and a field for more. */
import { X } from 'lucide-react'
import { useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { directionOf } from '../i18n/languages.ts'
import field from '../ui/field.module.css'
import styles from './glossary.module.css'
import { allWords, quoted, splitWords } from './split-words.ts'

interface Props {
  label: string
  /** The label with the language, unique in the form. */
  name: string
  /** Of the words, BCP 47. */
  language: string
  words: readonly string[]
  /** A word that is not in the list yet. */
  typed: string
  onChange: (changed: { words?: readonly string[]; typed?: string }) => void
  error: string
}

/**
 * Enter and a comma add the typed word, saving the form too. Backspace in the empty field returns the last one. Leaving
 * the field changes nothing: a button that moved under the pointer would not be pressed.
 */
export function WordField({ label, name, language, words, typed, onChange, error }: Props) {
  const { t } = useTranslation('glossary')
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const add = (more: readonly string[], rest = '') =>
    onChange({ words: [...new Set([...words, ...more])], typed: rest })
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
                onChange({ words: words.filter(other => other !== word) })
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
            const { words: more, rest } = splitWords(value)
            add(more, rest.trimStart())
          }}
          onPaste={event => {
            // The field itself would join the lines.
            const text = event.clipboardData.getData('text/plain')
            if (!/[\r\n]/.test(text.trim())) return
            event.preventDefault()
            add(allWords(typed + text.replaceAll('\r', '')))
          }}
          onKeyDown={event => {
            if (event.nativeEvent.isComposing) return
            if (event.key === 'Enter' && typed.trim() !== '') {
              event.preventDefault()
              add(allWords(typed))
            } else if (event.key === 'Backspace' && typed === '' && words.length > 0) {
              event.preventDefault()
              onChange({ words: words.slice(0, -1), typed: quoted(words.at(-1)!) })
            }
          }}
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
