/** Name and slug of a new organization. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { createOrganization, setActiveOrganization } from '../api/client.ts'
import { slugOf } from '../project/slug-of.ts'
import { Button } from '../ui/button.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { refusalOf } from './sign-in-methods.ts'

interface Props {
  /** Whether its button is primary. */
  isMain: boolean
  /** Called after the organization exists and is the active one of the session. */
  onDone: (name: string) => Promise<unknown>
}

export function OrganizationForm({ isMain, onDone }: Props) {
  const { t } = useTranslation('signIn')
  const [name, setName] = useState('')
  const [ownSlug, setOwnSlug] = useState<string>()
  const slug = ownSlug ?? slugOf(name)
  const { pending, problem, faults, send } = useSubmission({
    faults: {
      name: name.trim() === '' ? t('common:needsName') : '',
      slug: slug.trim() === '' ? t('needsSlug') : '',
    },
    sentence: error => refusalOf(error, t),
  })
  const submit = () =>
    send(async () => {
      const { id } = await answer(createOrganization({ body: { name: name.trim(), slug: slug.trim() } }))
      await answer(setActiveOrganization({ body: { organizationId: id } }))
      await onDone(name.trim())
    })
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
        error={faults.name}
      />
      <TextField
        label={t('common:slug')}
        hint={t('organizationSlugHint')}
        autoComplete="off"
        value={slug}
        onChange={setOwnSlug}
        code
        error={faults.slug}
      />
      <Button type="submit" look={isMain ? 'primary' : 'plain'} isPending={pending}>
        {t('makeOrganization')}
      </Button>
    </Form>
  )
}
