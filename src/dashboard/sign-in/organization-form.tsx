/** Name and slug of a new organization. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { createOrganization, setActiveOrganization } from '../api/client.ts'
import { slugOf } from '../projects/slug-of.ts'
import { Button } from '../ui/button.tsx'
import { Form, useSubmission, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { refusalOf } from './sign-in-methods.ts'

/** @param onDone the organization is made, and the one that the session is about */
export function OrganizationForm({ onDone }: { onDone: (name: string) => Promise<unknown> }) {
  const { t } = useTranslation('signIn')
  const [name, setName] = useState('')
  const [ownSlug, setOwnSlug] = useState<string>()
  const [checked, setChecked] = useState(false)
  const { pending, problem, send } = useSubmission(error => refusalOf(error, t))
  const slug = ownSlug ?? slugOf(name)
  const submit = () => {
    setChecked(true)
    if (name.trim() === '' || slug.trim() === '') return
    void send(async () => {
      const { id } = await answer(createOrganization({ body: { name: name.trim(), slug: slug.trim() } }))
      await answer(setActiveOrganization({ body: { organizationId: id } }))
      await onDone(name.trim())
    })
  }
  return (
    <Form onSubmit={submit}>
      <Wrong problem={problem} />
      <TextField
        label={t('common:name')}
        hint={t('organizationNameHint')}
        autoComplete="organization"
        value={name}
        onChange={setName}
        autoFocus
        error={checked && name.trim() === '' ? t('common:needsName') : ''}
      />
      <TextField
        label={t('common:slug')}
        hint={t('organizationSlugHint')}
        autoComplete="off"
        value={slug}
        onChange={setOwnSlug}
        code
        error={checked && slug.trim() === '' ? t('needsSlug') : ''}
      />
      <Button type="submit" look="primary" isPending={pending}>
        {t('makeOrganization')}
      </Button>
    </Form>
  )
}
