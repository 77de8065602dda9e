/** The organization's name and short name. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { updateOrganization } from '../api/client.ts'
import { useMember, VIEWER } from '../api/session.ts'
import { refusalOf } from '../sign-in/sign-in-methods.ts'
import { SubmitActions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'

/** For those who may change them. */
export function NameForm() {
  const { t } = useTranslation('team')
  const { organization } = useMember().who
  const client = useQueryClient()
  const [name, setName] = useState(organization.name)
  const [slug, setSlug] = useState(organization.slug)
  const wrong = {
    name: name.trim() === '' ? t('common:needsName') : '',
    slug: slug.trim() === '' ? t('common:needsName') : '',
  }
  const { pending, problem, send } = useSubmission({ faults: wrong, sentence: error => refusalOf(error, t) })
  const changed = name.trim() !== organization.name || slug.trim() !== organization.slug
  const save = () =>
    send(async () => {
      await answer(updateOrganization({ body: { data: { name: name.trim(), slug: slug.trim() } } }))
      await client.invalidateQueries({ queryKey: VIEWER })
      return t('renamed')
    })
  return (
    <Form onSubmit={save} label={t('organization')}>
      <Wrong problem={problem} />
      <TextField label={t('common:name')} value={name} onChange={setName} error={wrong.name} />
      <TextField label={t('common:slug')} value={slug} onChange={setSlug} code error={wrong.slug} />
      <SubmitActions isPending={pending} isDisabled={!changed}>
        {t('common:save')}
      </SubmitActions>
    </Form>
  )
}
