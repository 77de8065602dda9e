/** Changing the password. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { changePassword } from '../api/client.ts'
import { refusalOf } from '../sign-in/sign-in-methods.ts'
import { SHORTEST_PASSWORD } from '../sign-in/sign-up-form.tsx'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Card } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { SESSIONS } from './sessions-section.tsx'

/** A new one ends all other sessions. */
export function PasswordSection() {
  const { t } = useTranslation(['account', 'signIn'])
  const client = useQueryClient()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const [done, setDone] = useState(false)
  const { pending, problem, faults, send } = useSubmission({
    faults: {
      current: currentPassword === '' ? t('common:needsPassword') : '',
      new: newPassword.length < SHORTEST_PASSWORD ? t('signIn:shortPassword', { count: SHORTEST_PASSWORD }) : '',
    },
    sentence: error => refusalOf(error, t),
  })
  const save = () => {
    setDone(false)
    void send(async () => {
      await answer(changePassword({ body: { currentPassword, newPassword } }))
      await client.invalidateQueries({ queryKey: SESSIONS })
      setCurrent('')
      setNew('')
      setDone(true)
      return t('passwordSaved')
    })
  }
  return (
    <SettingsSection title={t('common:password')}>
      <Card>
        <Form onSubmit={save} label={t('common:password')}>
          <Wrong problem={problem} />
          {done && <Notice kind="good">{t('passwordSaved')}</Notice>}
          <TextField
            label={t('currentPassword')}
            type="password"
            autoComplete="current-password"
            value={currentPassword}
            onChange={setCurrent}
            error={faults.current}
          />
          <TextField
            label={t('newPassword')}
            hint={t('common:passwordHint', { count: SHORTEST_PASSWORD })}
            type="password"
            autoComplete="new-password"
            value={newPassword}
            onChange={setNew}
            error={faults.new}
          />
          <Actions>
            <Button type="submit" isPending={pending}>
              {t('changePassword')}
            </Button>
          </Actions>
        </Form>
      </Card>
    </SettingsSection>
  )
}
