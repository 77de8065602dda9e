/** The first step of the first run again, after the project exists. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { changeProject, type Project } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { setSearch } from '../ui/location.ts'
import { Card } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import styles from './start.module.css'

/** Its name can be corrected. For another source language, a further project is created. */
export function ProjectAgain({ project: { slug, name: before, sourceLanguage } }: { project: Project }) {
  const { t, i18n } = useTranslation('signIn')
  const client = useQueryClient()
  const [name, setName] = useState(before)
  const { pending, problem, faults, send } = useSubmission({
    faults: { name: name.trim() === '' ? t('common:needsName') : '' },
  })
  const save = () =>
    send(async () => {
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
      <Form onSubmit={save}>
        <Wrong problem={problem} />
        <TextField
          label={t('common:name')}
          value={name}
          onChange={setName}
          maxLength={100}
          error={faults.name}
          autoFocus
        />
        <Actions>
          <Button type="submit" look="primary" isPending={pending}>
            {t('goOn')}
          </Button>
          <span className={styles.back}>
            <ButtonLink look="quiet" to="/start">
              {t('otherProject')}
            </ButtonLink>
          </span>
        </Actions>
      </Form>
    </Card>
  )
}
