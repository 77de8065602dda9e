/** Asks for the password again before a change to the account's security. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalOf } from '../sign-in/sign-in-methods.ts'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'

interface Props {
  /** The words on the button. */
  doIt: string
  danger?: boolean
  onPassword: (password: string) => Promise<unknown>
}

/** The form shows the server's refusal. */
export function PasswordForm({ doIt, danger, onPassword }: Props) {
  const { t } = useTranslation(['account', 'signIn'])
  const [password, setPassword] = useState('')
  const { pending, problem, faults, send } = useSubmission({
    faults: { password: password === '' ? t('common:needsPassword') : '' },
    sentence: error => refusalOf(error, t),
  })
  return (
    <Form onSubmit={() => send(() => onPassword(password))}>
      <Wrong problem={problem} />
      <TextField
        label={t('currentPassword')}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus
        error={faults.password}
      />
      <Actions>
        <Button type="submit" look={danger ? 'danger' : 'primary'} isPending={pending}>
          {doIt}
        </Button>
      </Actions>
    </Form>
  )
}
