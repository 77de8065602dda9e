/** The first key, with its text in the source language. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { setSearch } from '../ui/location.ts'
import { Card } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'
import styles from './start.module.css'
import type { StartPlace } from './start-place.ts'
import { TextForm } from './text-form.tsx'

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
