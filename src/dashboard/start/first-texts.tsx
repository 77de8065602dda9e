/** Steps of the first run: a language, the first key with its text, and its translation. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { sameIgnoringCase } from '../../bundle/names.ts'
import { answer } from '../api/answer.ts'
import { type Project, putKey } from '../api/client.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { LanguageField } from '../project/language-field.tsx'
import { useLanguage } from '../project/use-language.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { setSearch } from '../ui/location.ts'
import { Card } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import styles from './start.module.css'
import { useFirstText } from './use-first-text.ts'

/** As the address of the first run names it. */
export interface StartPlace {
  project: Project
  /** The language that is translated into; BCP 47. */
  language: string
  namespace: string
  /** The key; '' while there is none. */
  name: string
}

/** A step with a link to the one before it. */
export interface ReturnableStep extends StartPlace {
  /** The address of the step before. */
  back: string
}

function Back({ to }: { to: string }) {
  const { t } = useTranslation('signIn')
  return (
    <span className={styles.back}>
      <ButtonLink look="quiet" to={to}>
        {t('back')}
      </ButtonLink>
    </span>
  )
}

/** Nothing is written yet: a language exists from its first text on. */
export function LanguageStep({ project: { sourceLanguage }, language: chosen, back }: ReturnableStep) {
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
      <Form onSubmit={choose}>
        <LanguageField
          label={t('common:language')}
          hint={t('languageHint')}
          without={[sourceLanguage]}
          {...field}
          autoFocus
        />
        <Actions>
          <Button type="submit" look="primary">
            {t('goOn')}
          </Button>
          <Back to={back} />
        </Actions>
      </Form>
    </Card>
  )
}

/** The form does not check the key's name: the server's answer says what is wrong. */
export function TextStep({ project: { slug, sourceLanguage }, namespace, name: saved, back }: ReturnableStep) {
  const { t } = useTranslation('signIn')
  const [key, setKey] = useState(saved === '' ? 'greeting' : saved)
  const name = key.trim()
  const text = useFirstText({ slug, language: sourceLanguage, namespace, name: saved })
  return (
    <Card>
      <p className={styles.quiet}>{t('textWhy')}</p>
      <Loaded read={text} lines={4}>
        {initial => (
          <TextForm
            {...{ slug, namespace, name, initial, back }}
            language={sourceLanguage}
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
        )}
      </Loaded>
    </Card>
  )
}

/** The source text above, its translation below. */
export function TranslationStep({
  project: { slug, sourceLanguage },
  language,
  namespace,
  name,
  back,
}: ReturnableStep) {
  const { t, i18n } = useTranslation('signIn')
  const source = useFirstText({ slug, language: sourceLanguage, namespace, name })
  const text = useFirstText({ slug, language, namespace, name })
  return (
    <Card>
      <Loaded read={source} lines={1}>
        {source => (
          <figure className={styles.source}>
            <figcaption>
              {t('textIn', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })} ·{' '}
              <code>{name}</code>
            </figcaption>
            <blockquote lang={sourceLanguage} dir={directionOf(sourceLanguage)}>
              <Isolated text={source} />
            </blockquote>
          </figure>
        )}
      </Loaded>
      <Loaded read={text} lines={4}>
        {initial => (
          <TextForm
            {...{ slug, language, namespace, name, initial, back }}
            said={t('translationSaved')}
            onSaved={() => setSearch({ done: '1', step: null }, { replace: false })}
          />
        )}
      </Loaded>
    </Card>
  )
}

interface Props {
  slug: string
  language: string
  namespace: string
  /** The key; nothing is sent while it is ''. */
  name: string
  /** The text that is stored. */
  initial: string
  /** The address of the step before. */
  back: string
  /** The announcement after saving. */
  said: string
  onSaved: () => void
  /** The field of the key, above the text. `fault` is the key's fault to show. */
  children?: (fault: string) => ReactNode
}

/** Written and checked in its language and direction. */
function TextForm({ slug, language, namespace, name, initial, back, said, onSaved, children }: Props) {
  const { t, i18n } = useTranslation('signIn')
  const [text, setText] = useState(initial)
  const { pending, problem, faults, send } = useSubmission({
    faults: { name: name === '' ? t('needsKey') : '', text: text === '' ? t('needsText') : '' },
  })
  const client = useQueryClient()
  const save = () =>
    send(async () => {
      await answer(putKey({ slug, language, $namespace: namespace, key: name, newValue: { value: text } }))
      void client.invalidateQueries({ queryKey: ['project', slug] })
      onSaved()
      return said
    })
  return (
    <Form onSubmit={save}>
      <Wrong problem={problem} />
      {children?.(faults.name)}
      <div lang={language} dir={directionOf(language)}>
        <TextField
          label={t('textIn', { language: languageName(language, i18n.language), tag: language })}
          value={text}
          onChange={setText}
          autoFocus
          lines={3}
          spellCheck="true"
          error={faults.text}
        />
      </div>
      <Actions>
        <Button type="submit" look="primary" isPending={pending}>
          {t('saveAndGoOn')}
        </Button>
        <Back to={back} />
      </Actions>
    </Form>
  )
}
