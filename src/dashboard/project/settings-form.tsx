/** A project's name, format and interpolation. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MAX_AFFIX } from '../../bundle/names.ts'
import { INTERPOLATION } from '../../bundle/placeholders.ts'
import { answer } from '../api/answer.ts'
import { changeProject, type Project } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { FormatChoice } from './format-choice.tsx'

/** The fields and their sending. */
export function SettingsForm({ project: { slug, ...before } }: { project: Project }) {
  const { t, i18n } = useTranslation('projects')
  const client = useQueryClient()
  const [name, setName] = useState(before.name)
  const [format, setFormat] = useState(before.defaultFormat)
  const was = before.interpolation ?? INTERPOLATION
  const [prefix, setPrefix] = useState(was.prefix)
  const [suffix, setSuffix] = useState(was.suffix)
  const interpolates = prefix !== was.prefix || suffix !== was.suffix
  const { pending, problem, send } = useSubmission()
  const save = () =>
    send(async () => {
      const projectChange = {
        ...(name !== before.name && { name }),
        ...(format !== before.defaultFormat && { defaultFormat: format }),
        ...(interpolates && { interpolation: { prefix, suffix } }),
      }
      await answer(changeProject({ slug, projectChange }))
      await client.invalidateQueries({ queryKey: ['projects'] })
      await client.invalidateQueries({ queryKey: ['project', slug] })
      return t('settingsSaved')
    })
  const changed = name !== before.name || format !== before.defaultFormat || interpolates
  return (
    <Card narrow>
      <Form onSubmit={save} native>
        <TextField label={t('common:name')} value={name} onChange={setName} isRequired maxLength={100} />
        <TextField label={t('common:slug')} value={slug} isReadOnly code hint={t('slugStays')} />
        <TextField
          label={t('sourceLanguage')}
          value={`${languageName(before.sourceLanguage, i18n.language)} (${before.sourceLanguage})`}
          isReadOnly
          hint={t('sourceStays')}
        />
        <FormatChoice value={format} onChange={setFormat} hint={t('formatRewrites')} />
        <TextField
          label={t('placeholderPrefix')}
          value={prefix}
          onChange={setPrefix}
          isRequired
          maxLength={MAX_AFFIX}
          code
          hint={t('placeholderWhy')}
        />
        <TextField
          label={t('placeholderSuffix')}
          value={suffix}
          onChange={setSuffix}
          isRequired
          maxLength={MAX_AFFIX}
          code
        />
        <Wrong problem={problem} />
        <Actions>
          <Button look="primary" type="submit" isPending={pending} isDisabled={!changed}>
            {t('common:save')}
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}
