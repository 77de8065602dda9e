/** The form of a term: its fields, its words by language, and what another user changed meanwhile. */
import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GlossaryTerm } from '../../glossary/glossary.ts'
import { ApiProblem, problemOf } from '../api/answer.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { LanguageField, useLanguage } from '../project/project-fields.tsx'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Diff } from '../ui/diff.tsx'
import { scrollIntoViewNow } from '../ui/focus.ts'
import { describedBy, FieldFrame, Form, TextField, useSubmission } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { changeTerm, TermConflict, TermExists } from './change-term.ts'
import styles from './glossary.module.css'
import {
  allWords,
  changedFields,
  fieldsOf,
  fieldText,
  mergeFields,
  quoted,
  refusedField,
  splitWords,
  type TermFields,
  termOf,
} from './term-fields.ts'

interface Props {
  /** The project; undefined for the organization's glossary. */
  slug: string | undefined
  /** Undefined for a new term. */
  term: GlossaryTerm | undefined
  /** Languages that have fields from the start. */
  languages: readonly string[]
  onClose: () => void
}

/** Adds or changes a term. After a conflict it has the changes of both users, and shows those of the other one. */
export function TermDialog({ slug, term, languages, onClose }: Props) {
  const { t, i18n } = useTranslation('glossary')
  const client = useQueryClient()
  const [base, setBase] = useState(term)
  const [fields, setFields] = useState(() => fieldsOf(term))
  const [conflict, setConflict] = useState<ConflictingEdit>()
  const [refused, setRefused] = useState<{ field: string; why: string }>()
  /** Words that are not in their list yet, by its name. */
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [more, setMore] = useState<readonly string[]>([])
  const { field: languageField, resolve } = useLanguage()
  const name = fields.term.trim()
  const inWords = Object.keys(fields.words).map(list => list.split('.')[0]!)
  const shown = [...new Set([...languages, ...inWords, ...more])]
  const { pending, problem, faults, send } = useSubmission({
    faults: { term: name === '' ? t('needsTerm') : '' },
    sentence: error => {
      if (error instanceof TermConflict) {
        const [before, now] = [fieldsOf(base), error.now && fieldsOf(error.now)]
        setConflict({ before, now })
        if (now) setFields(fields => mergeFields(before, fields, now))
        setBase(error.now)
        announce(t(now ? 'changedMeanwhile' : 'deletedMeanwhile'))
        return ''
      }
      const why = error instanceof TermExists ? t('termThere', { term: name }) : problemOf(error, t)
      const field = error instanceof TermExists ? 'term' : refusedField(why)
      if (field === undefined || (error instanceof ApiProblem && error.status === 0)) return why
      setRefused({ field, why })
      announce(why)
      return ''
    },
  })
  const set = (changed: Partial<TermFields>) => {
    setFields(fields => ({ ...fields, ...changed }))
    setRefused(undefined)
  }
  const save = () => {
    const words = { ...fields.words }
    for (const list in typed) words[list] = [...new Set([...(words[list] ?? []), ...allWords(typed[list]!)])]
    setFields({ ...fields, words })
    setTyped({})
    void send(async () => {
      await changeTerm(client, slug, { before: base, after: termOf({ ...fields, words }) })
      onClose()
      return t(term ? 'changed' : 'added', { term: name })
    })
  }
  const faultOf = (field: string) => (refused?.field === field ? refused.why : '')
  const addLanguage = () => {
    const language = resolve()
    if (language === undefined) return
    setMore([...more, language])
    languageField.onChange('')
  }
  return (
    <Dialog title={term ? t('editNamed', { term: term.term }) : t('add')} isOpen onClose={onClose} wide>
      <Form onSubmit={save}>
        <TextField
          label={t('field.term')}
          hint={t('termHint')}
          value={fields.term}
          onChange={term => set({ term })}
          error={faultOf('term') || faults.term}
          autoComplete="off"
          autoFocus
        />
        <TextField
          label={t('field.note')}
          hint={t('noteHint')}
          value={fields.note}
          onChange={note => set({ note })}
          error={faultOf('note')}
          lines={2}
        />
        <div className={styles.choices}>
          {(['keep', 'caseSensitive'] as const).map(choice => (
            <Checkbox key={choice} isSelected={fields[choice]} onChange={isOn => set({ [choice]: isOn })}>
              {t(`field.${choice}`)}
            </Checkbox>
          ))}
        </div>
        {shown.map(language => {
          const named = `${languageName(language, i18n.language)} (${language})`
          return (
            <fieldset key={language} className={styles.language}>
              <legend>{named}</legend>
              {(['use', 'avoid'] as const).map(list => {
                const id = `${language}.${list}`
                return (
                  <WordField
                    key={list}
                    label={t(`field.${list}`)}
                    name={t('listOf', { list: t(`field.${list}`), language: named })}
                    language={language}
                    words={fields.words[id] ?? []}
                    typed={typed[id] ?? ''}
                    onChange={(words, rest) => {
                      set({ words: { ...fields.words, [id]: words } })
                      if (rest !== undefined) setTyped({ ...typed, [id]: rest })
                    }}
                    error={faultOf(id)}
                  />
                )
              })}
            </fieldset>
          )
        })}
        <p className="quiet">{t('wordsHint')}</p>
        <div className={styles.more}>
          <LanguageField label={t('anotherLanguage')} without={shown} {...languageField} />
          <Button onPress={addLanguage} isDisabled={languageField.value.trim() === ''}>
            {t('addLanguage')}
          </Button>
        </div>
        {conflict && <TermChanges {...conflict} onUse={setFields} />}
        <SubmitActions problem={problem} isPending={pending} onCancel={onClose}>
          {t('common:save')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}

interface ConflictingEdit {
  before: TermFields
  /** Undefined for a deleted term. */
  now: TermFields | undefined
}

/** What another user changed in a term while it was edited: a diff of each field. @param onUse accepts that edit */
function TermChanges({ before, now, onUse }: ConflictingEdit & { onUse: (theirs: TermFields) => void }) {
  const { t, i18n } = useTranslation('glossary')
  if (!now)
    return (
      <Notice kind="warn">
        <p ref={scrollIntoViewNow}>{t('deletedMeanwhile')}</p>
      </Notice>
    )
  const textOf = (fields: TermFields, field: string) => {
    const text = fieldText(fields, field)
    return field === 'keep' || field === 'caseSensitive' ? t(text === 'true' ? 'on' : 'off') : text
  }
  const use = (
    <Button small onPress={() => onUse(now)}>
      {t('useTheirs')}
    </Button>
  )
  return (
    <Notice kind="warn" action={use}>
      <p ref={scrollIntoViewNow}>{t('changedMeanwhile')}</p>
      <ul>
        {changedFields(before, now).map(field => {
          const [language = '', list] = field.split('.') as [string, 'use' | 'avoid' | undefined]
          const name =
            list === undefined
              ? t(`field.${field as 'term' | 'note' | 'keep' | 'caseSensitive'}`)
              : t('listOf', { list: t(`field.${list}`), language: languageName(language, i18n.language) })
          return (
            <li key={field}>
              {name}:{' '}
              <Diff
                before={textOf(before, field)}
                after={textOf(now, field)}
                language={list === undefined ? i18n.language : language}
              />
            </li>
          )
        })}
      </ul>
    </Notice>
  )
}

interface WordProps {
  label: string
  /** The label with the language, unique in the form. */
  name: string
  /** Of the words, BCP 47. */
  language: string
  words: readonly string[]
  /** A word that is not in the list yet. */
  typed: string
  onChange: (words: readonly string[], typed?: string) => void
  error: string
}

/**
 * A list of words: each a chip, and a field for more. Enter and a comma add the typed word, saving the form too.
 * Backspace in the empty field returns the last one. Leaving the field changes nothing: a button that moved under the
 * pointer would not be pressed.
 */
function WordField({ label, name, language, words, typed, onChange, error }: WordProps) {
  const { t } = useTranslation('glossary')
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const add = (more: readonly string[], rest = '') => onChange([...new Set([...words, ...more])], rest)
  return (
    <FieldFrame id={id} label={label} hint={undefined} error={error}>
      <div className={`row1 ${styles.words}`} lang={language} dir={directionOf(language)}>
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
          aria-describedby={describedBy({ id, hint: undefined, error })}
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
              onChange(words.slice(0, -1), quoted(words.at(-1)!))
            }
          }}
        />
      </div>
    </FieldFrame>
  )
}
