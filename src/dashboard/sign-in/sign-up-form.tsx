/** Name, address and password of a new account. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { signUp } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { refusalOf } from './sign-in-methods.ts'

/** Characters of a password, as the server has it. */
export const SHORTEST_PASSWORD = 8

interface Props {
  /** The id of an invitation, which lets one in where sign-up is not open. */
  invitation?: string
  /** The address of the invitation. */
  email?: string
  /** The words on the button, if other than the default. */
  doIt?: string
  onDone: () => Promise<unknown>
}

/** Each field shows its fault after the first attempt to send. */
export function SignUpForm({ invitation, email: invited = '', doIt, onDone }: Props) {
  const { t } = useTranslation('signIn')
  const [name, setName] = useState('')
  const [email, setEmail] = useState(invited)
  const [password, setPassword] = useState('')
  const wrong = {
    name: name.trim() === '' ? t('common:needsName') : '',
    email: /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? '' : t('needsEmail'),
    password: password.length < SHORTEST_PASSWORD ? t('shortPassword', { count: SHORTEST_PASSWORD }) : '',
  }
  const { pending, problem, faults, send } = useSubmission({
    faults: wrong,
    sentence: error => refusalOf(error, t),
  })
  const submit = () =>
    send(async () => {
      const body = { name: name.trim(), email: email.trim(), password, ...(invitation && { invitation }) }
      await answer(signUp({ body }))
      await onDone()
    })
  return (
    <Form onSubmit={submit}>
      <Wrong problem={problem} />
      <TextField
        label={t('common:name')}
        hint={t('common:nameHint')}
        autoComplete="name"
        value={name}
        onChange={setName}
        autoFocus
        error={faults.name}
      />
      <TextField
        label={t('common:email')}
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isReadOnly={invited !== ''}
        error={faults.email}
      />
      <TextField
        label={t('common:password')}
        hint={t('common:passwordHint', { count: SHORTEST_PASSWORD })}
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        error={faults.password}
      />
      <Button type="submit" look="primary" isPending={pending}>
        {doIt ?? t('makeAccount')}
      </Button>
    </Form>
  )
}
