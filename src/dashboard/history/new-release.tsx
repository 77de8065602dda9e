/** The dialog that creates a release. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { createRelease } from '../api/late-client.ts'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'

/** A dialog that asks for its name. */
export function NewRelease({
  slug,
  onClose,
  onMade,
}: {
  slug: string
  onClose: () => void
  onMade: () => Promise<unknown>
}) {
  const { t } = useTranslation('history')
  const [name, setName] = useState('')
  const { pending, problem, send } = useSubmission()
  const make = () =>
    send(async () => {
      await answer(createRelease({ slug, newRelease: { name } }))
      await onMade()
      onClose()
      return t('releaseMade', { name })
    })
  return (
    <Dialog title={t('newRelease')} isOpen onClose={onClose}>
      <Form onSubmit={make} native>
        <TextField
          label={t('common:name')}
          hint={t('releaseHint')}
          value={name}
          onChange={setName}
          code
          isRequired
          autoFocus
        />
        <SubmitActions problem={problem} isPending={pending} onCancel={onClose}>
          {t('makeRelease')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}
