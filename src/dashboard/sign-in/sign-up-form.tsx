/** Name, address and password of a new account. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { signUp } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Form, useSubmission, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { refusalOf } from './sign-in-methods.ts'

/** Characters of a password, as the server has it. */
export const SHORTEST_PASSWORD = 8

interface Props {
  /** The id of an invitation, which lets one in where sign-up is not open. */
  invitation?: string
  /** The address that the invitation was made for. */
  email?: string
  onDone: () => Promise<unknown>
}

/** What is wrong is said at its field once it was sent. */
export function SignUpForm({ invitation, email: invited = '', onDone }: Props) {
  const { t } = useTranslation('signIn')
  const [name, setName] = useState('')
  const [email, setEmail] = useState(invited)
  const [password, setPassword] = useState('')
  const [checked, setChecked] = useState(false)
  const { pending, problem, send } = useSubmission(error => refusalOf(error, t))
  const wrong = {
    name: name.trim() === '' ? t('common:needsName') : '',
    email: /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? '' : t('needsEmail'),
    password: password.length < SHORTEST_PASSWORD ? t('shortPassword', { count: SHORTEST_PASSWORD }) : '',
  }
  const submit = () => {
    setChecked(true)
    if (wrong.name || wrong.email || wrong.password) return
    void send(async () => {
      const body = { name: name.trim(), email: email.trim(), password, ...(invitation && { invitation }) }
      await answer(signUp({ body }))
      await onDone()
    })
  }
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
        error={checked ? wrong.name : ''}
      />
      <TextField
        label={t('common:email')}
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isReadOnly={invited !== ''}
        error={checked ? wrong.email : ''}
      />
      <TextField
        label={t('common:password')}
        hint={t('common:passwordHint', { count: SHORTEST_PASSWORD })}
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        error={checked ? wrong.password : ''}
      />
      <Button type="submit" look="primary" isPending={pending}>
        {t('makeAccount')}
      </Button>
    </Form>
  )
}
