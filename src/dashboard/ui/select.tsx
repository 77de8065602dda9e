/** A choice of one. */
import { ChevronDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import field from './field.module.css'
import { describedBy, FieldFrame } from './form.tsx'
import { late } from './late.tsx'
import { useOpener } from './menu.tsx'
import styles from './select.module.css'
import type { SelectChoice } from './select-list.tsx'

const List = late(() => import('./select-list.tsx'))

interface Props<Id extends string> {
  label: ReactNode
  /** The label is for screen readers alone. */
  hideLabel?: boolean
  choices: readonly SelectChoice<Id>[]
  value: Id | null
  onChange: (value: Id) => void
  hint?: ReactNode
  error?: string
  isDisabled?: boolean
}

/** A button with a list; typing jumps to a choice. */
export function Select<Id extends string>(props: Props<Id>) {
  const { label, hideLabel, choices, value, onChange, hint, error, isDisabled } = props
  const { opener, opened } = useOpener('listbox')
  const id = opener.id!
  const named = hideLabel ? id : `${id}label`
  const byKey = useChoosingByKey(props)
  return (
    <FieldFrame
      id={id}
      label={hideLabel ? undefined : label}
      hint={hint}
      error={error}
      onLabel={() => opener.ref?.current?.focus()}
    >
      <button
        {...opener}
        type="button"
        disabled={isDisabled}
        className={`${field.input} ${styles.button}`}
        aria-label={hideLabel ? String(label) : undefined}
        aria-labelledby={`${id}value ${named}`}
        aria-describedby={describedBy({ id, hint, error })}
        aria-invalid={error ? true : undefined}
        onKeyDown={event => byKey(event) || opener.onKeyDown?.(event)}
      >
        <span id={`${id}value`} className={styles.value}>
          {choices.find(choice => choice.id === value)?.label}
        </span>
        <ChevronDown aria-hidden className={styles.arrow} />
      </button>
      {opened && (
        <List
          {...opened}
          labelledBy={named}
          choices={choices}
          value={value}
          onChange={chosen => chosen !== value && onChange(chosen as Id)}
        />
      )}
    </FieldFrame>
  )
}

/** Letters belong to one word that follow each other within this time. */
const WORD_MS = 1000

/** While the list is closed, as the browser's own do it. @returns whether the key was for it */
function useChoosingByKey<Id extends string>({ choices, value, onChange }: Props<Id>) {
  const typed = useRef({ word: '', at: 0 })
  return (event: KeyboardEvent): boolean => {
    if (event.ctrlKey || event.altKey || event.metaKey) return false
    const at = choices.findIndex(({ id }) => id === value)
    let chosen = choices[at]
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      chosen = choices[at + (event.key === 'ArrowLeft' ? -1 : 1)]
    } else if ([...event.key].length === 1 && event.key !== ' ') {
      const isNext = event.timeStamp - typed.current.at < WORD_MS
      typed.current = { word: (isNext ? typed.current.word : '') + event.key.toLowerCase(), at: event.timeStamp }
      chosen = choices.find(({ label }) => label.toLowerCase().startsWith(typed.current.word))
    } else return false
    event.preventDefault()
    if (chosen && chosen.id !== value) onChange(chosen.id)
    return true
  }
}
