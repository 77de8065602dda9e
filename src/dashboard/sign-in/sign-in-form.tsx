/** Address and password, then the code of whoever has a second factor. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { signIn } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Form, useSubmission, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { CodeForm } from './code-form.tsx'
import { refusalOf } from './sign-in-methods.ts'

interface Props {
  /** Whose sign-in this is; others cannot be typed then. */
  email?: string
  /** The password, or the provider, was given before: the code is left. */
  needsCode?: boolean
  onDone: () => Promise<unknown>
}

/** Used by the page and by the dialog over a page whose session has ended. */
export function SignInForm({ email: known, needsCode = false, onDone }: Props) {
  const { t } = useTranslation('signIn')
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [waits, setWaits] = useState(needsCode)
  const [checked, setChecked] = useState(false)
  const { pending, problem, send } = useSubmission(error => refusalOf(error, t))
  const submit = () => {
    setChecked(true)
    if (email.trim() === '' || password === '') return
    void send(async () => {
      const told = await answer(signIn({ body: { email: email.trim(), password } }))
      if ('twoFactorRedirect' in told) setWaits(true)
      else await onDone()
    })
  }
  if (waits) return <CodeForm onDone={onDone} onBack={() => setWaits(false)} />
  return (
    <Form onSubmit={submit}>
      <Wrong problem={problem} />
      <TextField
        label={t('common:email')}
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isReadOnly={known !== undefined}
        autoFocus={known === undefined}
        error={checked && email.trim() === '' ? t('needsEmail') : ''}
      />
      <TextField
        label={t('common:password')}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus={known !== undefined}
        error={checked && password === '' ? t('common:needsPassword') : ''}
      />
      <Button type="submit" look="primary" isPending={pending}>
        {t('signIn')}
      </Button>
    </Form>
  )
}
