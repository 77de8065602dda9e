/** Address and password, then the code of the second factor. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { signIn } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { CodeForm } from './code-form.tsx'
import { refusalOf } from './sign-in-methods.ts'

interface Props {
  /** The only user who may sign in here; the field is read-only. */
  email?: string
  /** The password, or the provider, was given before: the code is left. */
  needsCode?: boolean
  onDone: () => Promise<unknown>
}

/** Part of the sign-in page and of the dialog after the end of a session. */
export function SignInForm({ email: known, needsCode = false, onDone }: Props) {
  const { t } = useTranslation('signIn')
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [waits, setWaits] = useState(needsCode)
  const { pending, problem, faults, send } = useSubmission({
    faults: {
      email: email.trim() === '' ? t('needsEmail') : '',
      password: password === '' ? t('common:needsPassword') : '',
    },
    sentence: error => refusalOf(error, t),
  })
  const submit = () =>
    send(async () => {
      const result = await answer(signIn({ body: { email: email.trim(), password } }))
      if ('twoFactorRedirect' in result) setWaits(true)
      else await onDone()
    })
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
        error={faults.email}
      />
      <TextField
        label={t('common:password')}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus={known !== undefined}
        error={faults.password}
      />
      <Button type="submit" look="primary" isPending={pending}>
        {t('signIn')}
      </Button>
    </Form>
  )
}
