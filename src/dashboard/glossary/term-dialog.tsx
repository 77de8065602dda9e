/** The form of a term. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GlossaryTerm } from '../../glossary/glossary.ts'
import { ApiProblem } from '../api/answer.ts'
import { problemOf } from '../api/problem-of.ts'
import { languageName } from '../i18n/languages.ts'
import { LanguageField } from '../project/language-field.tsx'
import { useLanguage } from '../project/use-language.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { changeTerm, TermConflict, TermExists } from './change-term.ts'
import styles from './glossary.module.css'
import { refusedField } from './refused-field.ts'
import { allWords } from './split-words.ts'
import { type ConflictingEdit, TermChanges } from './term-changes.tsx'
import { fieldsOf, mergeFields, termOf } from './term-fields.ts'
import { WordField } from './word-field.tsx'

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
        noteConflict(error)
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
  const noteConflict = ({ now }: TermConflict) => {
    setConflict({ before: fieldsOf(base), now: now && fieldsOf(now) })
    if (now) setFields(fields => mergeFields(fieldsOf(base), fields, fieldsOf(now)))
    setBase(now)
    announce(t(now ? 'changedMeanwhile' : 'deletedMeanwhile'))
  }
  const set = (changed: Partial<typeof fields>) => {
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
          <Checkbox isSelected={fields.keep} onChange={keep => set({ keep })}>
            {t('field.keep')}
          </Checkbox>
          <Checkbox isSelected={fields.caseSensitive} onChange={caseSensitive => set({ caseSensitive })}>
            {t('field.caseSensitive')}
          </Checkbox>
        </div>
        {shown.map(language => {
          const named = `${languageName(language, i18n.language)} (${language})`
          return (
            <fieldset key={language} className={styles.language}>
              <legend>{named}</legend>
              {(['use', 'avoid'] as const).map(list => (
                <WordField
                  key={list}
                  label={t(`field.${list}`)}
                  name={t('listOf', { list: t(`field.${list}`), language: named })}
                  language={language}
                  words={fields.words[`${language}.${list}`] ?? []}
                  typed={typed[`${language}.${list}`] ?? ''}
                  onChange={({ words, typed: rest }) => {
                    const name = `${language}.${list}`
                    if (words) set({ words: { ...fields.words, [name]: words } })
                    if (rest !== undefined) setTyped({ ...typed, [name]: rest })
                  }}
                  error={faultOf(`${language}.${list}`)}
                />
              ))}
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
        {conflict && <TermChanges edit={conflict} onUse={() => conflict.now && setFields(conflict.now)} />}
        <SubmitActions problem={problem} isPending={pending} onCancel={onClose}>
          {t('common:save')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}
