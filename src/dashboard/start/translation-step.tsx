/** The first translation. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getKey, putKey } from '../api/client.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { announce } from '../shell/announce.ts'
import { setSearch } from '../shell/location.ts'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending, Wrong } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import type { Place } from './place.ts'
import styles from './start.module.css'

/** The source text above, its translation below. */
export function TranslationStep({ project: { slug, sourceLanguage }, language, namespace, name }: Place) {
  const { t, i18n } = useTranslation('signIn')
  const [text, setText] = useState('')
  const [checked, setChecked] = useState(false)
  const { pending, problem, send } = useSending()
  const client = useQueryClient()
  const at = { slug, $namespace: namespace, key: name }
  const source = useQuery({
    queryKey: ['project', slug, 'first-text', name],
    queryFn: () => answer(getKey({ ...at, language: sourceLanguage })),
  })
  const save = () => {
    setChecked(true)
    if (text === '') return
    void send(async () => {
      await answer(putKey({ ...at, language, newValue: { value: text } }))
      void client.invalidateQueries({ queryKey: ['project', slug] })
      announce(t('translationSaved'))
      setSearch({ done: '1' })
    })
  }
  const nameOf = (tag: string) => languageName(tag, i18n.language)
  return (
    <Card>
      <Loaded read={source} lines={1}>
        {({ message }) => (
          <figure className={styles.source}>
            <figcaption>
              {t('textIn', { language: nameOf(sourceLanguage), tag: sourceLanguage })} · <code>{name}</code>
            </figcaption>
            <blockquote lang={sourceLanguage} dir={directionOf(sourceLanguage)}>
              {typeof message === 'string' ? message : message.text}
            </blockquote>
          </figure>
        )}
      </Loaded>
      <Form onSubmit={save}>
        <Wrong problem={problem} />
        <div lang={language} dir={directionOf(language)}>
          <TextField
            label={t('textIn', { language: nameOf(language), tag: language })}
            value={text}
            onChange={setText}
            autoFocus
            lines={3}
            spellCheck="true"
            error={checked && text === '' ? t('needsText') : ''}
          />
        </div>
        <Actions>
          <Button type="submit" look="primary" isPending={pending}>
            {t('saveAndGoOn')}
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}
