/** Steps of the first run: a language, the first key with its text, and its translation. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { linesOf, partsOf } from '../../bundle/message.ts'
import { sameIgnoringCase } from '../../bundle/names.ts'
import { answer } from '../api/answer.ts'
import { getKey, type Message, type Project, putKey } from '../api/client.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { LanguageField } from '../project/language-field.tsx'
import { useLanguage } from '../project/use-language.ts'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { setSearch } from '../ui/location.ts'
import { Card } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import styles from './start.module.css'

/** As the address of the first run names it. */
export interface StartPlace {
  project: Project
  /** The language that is translated into; BCP 47. */
  language: string
  namespace: string
  /** The key; '' while there is none. */
  name: string
}

/** Nothing is written yet: a language exists from its first text on. */
export function LanguageStep({ project: { sourceLanguage } }: Pick<StartPlace, 'project'>) {
  const { t, i18n } = useTranslation('signIn')
  const { field, resolve, refuse } = useLanguage()
  const choose = () => {
    const language = resolve()
    if (language === undefined) return
    if (sameIgnoringCase(language, sourceLanguage)) return refuse(t('languageIsSource'))
    setSearch({ language }, { replace: false })
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
        </Actions>
      </Form>
    </Card>
  )
}

/** The form does not check the key's name: the server's answer says what is wrong. */
export function TextStep({ project: { slug, sourceLanguage }, namespace }: StartPlace) {
  const { t } = useTranslation('signIn')
  const [key, setKey] = useState('greeting')
  const name = key.trim()
  return (
    <Card>
      <p className={styles.quiet}>{t('textWhy')}</p>
      <TextForm
        {...{ slug, namespace, name }}
        language={sourceLanguage}
        said={t('textSaved')}
        onSaved={() => setSearch({ key: name }, { replace: false })}
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
export function TranslationStep({ project: { slug, sourceLanguage }, language, namespace, name }: StartPlace) {
  const { t, i18n } = useTranslation('signIn')
  const source = useQuery({
    queryKey: ['project', slug, 'first-text', name],
    queryFn: () => answer(getKey({ slug, language: sourceLanguage, $namespace: namespace, key: name })),
  })
  return (
    <Card>
      <Loaded read={source} lines={1}>
        {({ key, message }) => (
          <figure className={styles.source}>
            <figcaption>
              {t('textIn', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })} ·{' '}
              <code>{name}</code>
            </figcaption>
            <blockquote lang={sourceLanguage} dir={directionOf(sourceLanguage)}>
              <Isolated text={textAt(name.slice(key.length), message)} />
            </blockquote>
          </figure>
        )}
      </Loaded>
      <TextForm
        {...{ slug, language, namespace, name }}
        said={t('translationSaved')}
        onSaved={() => setSearch({ done: '1' }, { replace: false })}
      />
    </Card>
  )
}

/** The text, or the one form of a plural that was written. @param ending of the form's name; '' for the text */
const textAt = (ending: string, message: Message): string =>
  linesOf(partsOf(message)).find(([written]) => written === ending)?.[1] ?? ''

interface Props {
  slug: string
  language: string
  namespace: string
  /** The key; nothing is sent while it is ''. */
  name: string
  /** The announcement after saving. */
  said: string
  onSaved: () => void
  /** The field of the key, above the text. `fault` is the key's fault to show. */
  children?: (fault: string) => ReactNode
}

/** Written and checked in its language and direction. */
function TextForm({ slug, language, namespace, name, said, onSaved, children }: Props) {
  const { t, i18n } = useTranslation('signIn')
  const [text, setText] = useState('')
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
      </Actions>
    </Form>
  )
}
