/** Steps of the first run: the project again, a language, the first key with its text, and its translation. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { linesOf, partsOf } from '../../bundle/message.ts'
import { sameIgnoringCase } from '../../bundle/names.ts'
import { answer } from '../api/answer.ts'
import { changeProject, getKey, type Project, putKey } from '../api/client.ts'
import { isNotFound } from '../api/queries.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { LanguageField, useLanguage } from '../project/project-fields.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, TextField, useSubmission, Wrong } from '../ui/form.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { setSearch } from '../ui/location.ts'
import { Card, Loaded } from '../ui/page.tsx'
import styles from './start.module.css'

export interface StartPlace {
  project: Project
  /** Of the translation; BCP 47. */
  language: string
  namespace: string
  /** The key; '' while there is none. */
  name: string
}

/** A step with the address of the one before it. */
export type StepProps = StartPlace & { back: string }

interface FormProps {
  submission?: { problem: string; pending: boolean }
  onSubmit: () => unknown
  /** The label of the button that submits. */
  goOn: string
  back: string
  backLabel?: string
  children: ReactNode
}

/** The fields of a step, and the ways on and back. */
function StepForm({ submission, onSubmit, goOn, back, backLabel, children }: FormProps) {
  const { t } = useTranslation('signIn')
  return (
    <Form onSubmit={onSubmit}>
      <Wrong problem={submission?.problem ?? ''} />
      {children}
      <Actions>
        <Button type="submit" look="primary" isPending={submission?.pending}>
          {goOn}
        </Button>
        <span className={styles.back}>
          <ButtonLink look="quiet" to={back}>
            {backLabel ?? t('back')}
          </ButtonLink>
        </span>
      </Actions>
    </Form>
  )
}

/** The project's name can be corrected. For another source language, a further project is created. */
export function ProjectStep({ project: { slug, name: before, sourceLanguage }, back }: StepProps) {
  const { t, i18n } = useTranslation('signIn')
  const client = useQueryClient()
  const [name, setName] = useState(before)
  const submission = useSubmission({
    faults: { name: name.trim() === '' ? t('common:needsName') : '' },
  })
  const save = () =>
    submission.send(async () => {
      if (name !== before) {
        await answer(changeProject({ slug, projectChange: { name } }))
        await client.invalidateQueries({ queryKey: ['projects'] })
      }
      setSearch({ step: null }, { replace: false })
    })
  return (
    <Card>
      <p className={styles.quiet}>
        {t('languageWhy', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })}
      </p>
      <StepForm {...{ submission, back }} onSubmit={save} goOn={t('goOn')} backLabel={t('otherProject')}>
        <TextField
          label={t('common:name')}
          value={name}
          onChange={setName}
          maxLength={100}
          error={submission.faults.name}
          autoFocus
        />
      </StepForm>
    </Card>
  )
}

/** Nothing is written yet: a language exists from its first text on. */
export function LanguageStep({ project: { sourceLanguage }, language: chosen, back }: StepProps) {
  const { t, i18n } = useTranslation('signIn')
  const { field, resolve, refuse } = useLanguage(chosen)
  const choose = () => {
    const language = resolve()
    if (language === undefined) return
    if (sameIgnoringCase(language, sourceLanguage)) return refuse(t('languageIsSource'))
    setSearch({ language, step: null, done: null }, { replace: false })
  }
  return (
    <Card>
      <p className={styles.quiet}>
        {t('languageWhy', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })}
      </p>
      <StepForm onSubmit={choose} goOn={t('goOn')} back={back}>
        <LanguageField
          label={t('common:language')}
          hint={t('languageHint')}
          without={[sourceLanguage]}
          {...field}
          autoFocus
        />
      </StepForm>
    </Card>
  )
}

/** The form does not check the key's name: the server's answer says what is wrong. */
export function TextStep({ project, namespace, name: saved, back }: StepProps) {
  const { t } = useTranslation('signIn')
  const [key, setKey] = useState(saved === '' ? 'greeting' : saved)
  const name = key.trim()
  const place = { project, language: project.sourceLanguage, namespace, name: saved }
  return (
    <Card>
      <p className={styles.quiet}>{t('textWhy')}</p>
      <TextForm
        {...{ place, name, back }}
        said={t('textSaved')}
        onSaved={() => setSearch({ key: name, step: null, done: null }, { replace: false })}
      >
        {fault => (
          <TextField
            label={t('common:key')}
            hint={t('keyHint')}
            value={key}
            onChange={setKey}
            autoComplete="off"
            code
            error={fault}
          />
        )}
      </TextForm>
    </Card>
  )
}

/** The source text above, its translation below. */
export function TranslationStep({ back, ...place }: StepProps) {
  const { t, i18n } = useTranslation('signIn')
  const { sourceLanguage } = place.project
  return (
    <Card>
      <Loaded read={useFirstText({ ...place, language: sourceLanguage })} lines={1}>
        {source => (
          <figure className={styles.source}>
            <figcaption className="quiet">
              {t('textIn', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })} ·{' '}
              <code>{place.name}</code>
            </figcaption>
            <blockquote lang={sourceLanguage} dir={directionOf(sourceLanguage)}>
              <Isolated text={source} />
            </blockquote>
          </figure>
        )}
      </Loaded>
      <TextForm
        {...{ place, name: place.name, back }}
        said={t('translationSaved')}
        onSaved={() => setSearch({ done: '1', step: null }, { replace: false })}
      />
    </Card>
  )
}

interface TextFormProps {
  /** The stored text to begin with. */
  place: StartPlace
  /** The key to write; nothing is sent while it is ''. */
  name: string
  back: string
  /** The announcement after saving. */
  said: string
  onSaved: () => void
  /** The field of the key, above the text. `fault` is the key's fault to show. */
  children?: (fault: string) => ReactNode
}

const TextForm = (props: TextFormProps) => (
  <Loaded read={useFirstText(props.place)} lines={4}>
    {initial => <LoadedForm {...props} initial={initial} />}
  </Loaded>
)

/** Written and checked in its language and direction. */
function LoadedForm({ place, name, back, said, onSaved, initial, children }: TextFormProps & { initial: string }) {
  const { t, i18n } = useTranslation('signIn')
  const { project, language, namespace } = place
  const [text, setText] = useState(initial)
  const submission = useSubmission({
    faults: { name: name === '' ? t('needsKey') : '', text: text === '' ? t('needsText') : '' },
  })
  const client = useQueryClient()
  const save = () =>
    submission.send(async () => {
      const at = { slug: project.slug, language, $namespace: namespace, key: name }
      await answer(putKey({ ...at, newValue: { value: text } }))
      void client.invalidateQueries({ queryKey: ['project', project.slug] })
      onSaved()
      return said
    })
  return (
    <StepForm {...{ submission, back }} onSubmit={save} goOn={t('saveAndGoOn')}>
      {children?.(submission.faults.name)}
      <div lang={language} dir={directionOf(language)}>
        <TextField
          label={t('textIn', { language: languageName(language, i18n.language), tag: language })}
          value={text}
          onChange={setText}
          autoFocus
          lines={3}
          spellCheck="true"
          error={submission.faults.text}
        />
      </div>
    </StepForm>
  )
}

/** A query of the first text: of the key, or of the one form of a plural; '' before it is written. */
export const useFirstText = ({ project: { slug }, language, namespace, name }: StartPlace) =>
  useQuery({
    queryKey: ['project', slug, 'first-text', language, namespace, name],
    queryFn: async () => {
      if (name === '') return ''
      try {
        const { key, message } = await answer(getKey({ slug, language, $namespace: namespace, key: name }))
        const form = linesOf(partsOf(message)).find(([written]) => written === name.slice(key.length))
        return form?.[1] ?? ''
      } catch (error) {
        if (isNotFound(error)) return ''
        throw error
      }
    },
  })
