/** The user's name, which stands beside each of their changes. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type User, updateUser } from '../api/client.ts'
import { VIEWER } from '../api/session.ts'
import { SubmitActions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'

/** The new name applies to future commits only. */
export function NameSection({ user }: { user: User }) {
  const { t } = useTranslation('account')
  const client = useQueryClient()
  const [name, setName] = useState(user.name)
  const noName = name.trim() === '' ? t('common:needsName') : ''
  const { pending, problem, send } = useSubmission({ faults: { name: noName } })
  const save = () =>
    send(async () => {
      await answer(updateUser({ body: { name: name.trim() } }))
      await client.invalidateQueries({ queryKey: VIEWER })
      return t('nameSaved')
    })
  return (
    <SettingsSection title={t('common:name')}>
      <Card>
        <Form onSubmit={save}>
          <Wrong problem={problem} />
          <TextField
            label={t('common:name')}
            hint={t('common:nameHint')}
            autoComplete="name"
            value={name}
            onChange={setName}
            error={noName}
          />
          <SubmitActions isPending={pending} isDisabled={name.trim() === user.name}>
            {t('common:save')}
          </SubmitActions>
        </Form>
      </Card>
    </SettingsSection>
  )
}
