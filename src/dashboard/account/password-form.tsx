/** The password once more, before something of weight. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalOf } from '../sign-in/sign-in-methods.ts'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, useSubmission, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'

interface Props {
  /** The words on the button. */
  doIt: string
  danger?: boolean
  onPassword: (password: string) => Promise<unknown>
}

/** What the server refuses is said in place. */
export function PasswordForm({ doIt, danger, onPassword }: Props) {
  const { t } = useTranslation(['account', 'signIn'])
  const [password, setPassword] = useState('')
  const [checked, setChecked] = useState(false)
  const { pending, problem, send } = useSubmission(error => refusalOf(error, t))
  const submit = () => {
    setChecked(true)
    if (password !== '') void send(() => onPassword(password))
  }
  return (
    <Form onSubmit={submit}>
      <Wrong problem={problem} />
      <TextField
        label={t('currentPassword')}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus
        error={checked && password === '' ? t('common:needsPassword') : ''}
      />
      <Actions>
        <Button type="submit" look={danger ? 'danger' : 'primary'} isPending={pending}>
          {doIt}
        </Button>
      </Actions>
    </Form>
  )
}
