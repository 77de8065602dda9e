/** The first key, with its text in the source language. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { putKey } from '../api/client.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { announce } from '../shell/announce.ts'
import { setSearch } from '../shell/location.ts'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending, Wrong } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import type { Place } from './place.ts'
import styles from './start.module.css'

/** What it may be called is the server's to say. */
export function TextStep({ project: { slug, sourceLanguage }, namespace }: Place) {
  const { t, i18n } = useTranslation('signIn')
  const [key, setKey] = useState('greeting')
  const [text, setText] = useState('')
  const [checked, setChecked] = useState(false)
  const { pending, problem, send } = useSending()
  const client = useQueryClient()
  const language = languageName(sourceLanguage, i18n.language)
  const save = () => {
    setChecked(true)
    if (key.trim() === '' || text === '') return
    void send(async () => {
      const place = { slug, language: sourceLanguage, $namespace: namespace, key: key.trim() }
      await answer(putKey({ ...place, newValue: { value: text } }))
      void client.invalidateQueries({ queryKey: ['project', slug] })
      announce(t('textSaved'))
      setSearch({ key: key.trim() })
    })
  }
  return (
    <Card>
      <p className={styles.quiet}>{t('textWhy')}</p>
      <Form onSubmit={save}>
        <Wrong problem={problem} />
        <TextField
          label={t('key')}
          hint={t('keyHint')}
          value={key}
          onChange={setKey}
          autoComplete="off"
          code
          error={checked && key.trim() === '' ? t('needsKey') : ''}
        />
        <div lang={sourceLanguage} dir={directionOf(sourceLanguage)}>
          <TextField
            label={t('textIn', { language, tag: sourceLanguage })}
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
