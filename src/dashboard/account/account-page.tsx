/** The reader's own account. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import {
  changePassword,
  getSession,
  listAccounts,
  listSessions,
  revokeOtherSessions,
  revokeSession,
  type User,
  updateUser,
} from '../api/client.ts'
import { useViewer, VIEWER } from '../api/session.ts'
import {
  AUTOFILL,
  newPasswordFault,
  ProviderButton,
  SHORTEST_PASSWORD,
  SubmissionForm,
  useFields,
  useSignInMethods,
} from '../sign-in/forms.tsx'
import styles from '../team/team.module.css'
import { Button } from '../ui/button.tsx'
import { Actions, SubmitActions } from '../ui/dialog.tsx'
import { Form, TextField, useSubmission, Wrong } from '../ui/form.tsx'
import { Badge, Notice } from '../ui/notice.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { When } from '../ui/when.tsx'
import { deviceOf } from './device-of.ts'
import { SecondFactorSection } from './second-factor.tsx'

/** A section each; users without an organization have it too. */
export default function AccountPage() {
  const { t } = useTranslation(['account', 'signIn'])
  const viewer = useViewer()
  const provider = useSignInMethods().data?.provider
  const accounts = useQuery({ queryKey: ['accounts'], queryFn: () => answer(listAccounts()), enabled: !!provider })
  // An account that was created through the provider has no password. A second factor needs one.
  const hasPassword = accounts.data?.every(({ providerId }) => providerId !== 'credential') !== true
  return (
    <Page title={t('common:account')} lead={viewer.data?.user.email}>
      <Loaded read={viewer}>
        {viewer =>
          viewer && (
            <>
              <NameSection user={viewer.user} />
              {hasPassword && <PasswordSection />}
              {hasPassword && <SecondFactorSection user={viewer.user} />}
              {provider && (
                <SettingsSection title={provider.name}>
                  <Loaded read={accounts} lines={1}>
                    {all =>
                      all.some(({ providerId }) => providerId === provider.id) ? (
                        <Notice kind="good">{t('connected', { provider: provider.name })}</Notice>
                      ) : (
                        <ProviderButton provider={provider} next="/account" link />
                      )
                    }
                  </Loaded>
                </SettingsSection>
              )}
              <SessionsSection />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

/** The user's name, which stands beside each of their changes. A new name applies to future commits only. */
function NameSection({ user }: { user: User }) {
  const { t } = useTranslation('account')
  const client = useQueryClient()
  const check = ({ name }: { name: string }) => ({ name: name.trim() === '' ? t('common:needsName') : '' })
  const form = useFields({ name: user.name }, check)
  const name = form.typed.name.trim()
  const save = async () => {
    await answer(updateUser({ body: { name } }))
    await client.invalidateQueries({ queryKey: VIEWER })
    return t('nameSaved')
  }
  return (
    <SettingsSection title={t('common:name')}>
      <Card>
        <SubmissionForm form={form} onSend={save}>
          <TextField
            label={t('common:name')}
            hint={t('common:nameHint')}
            autoComplete="name"
            {...form.field('name')}
            error={check(form.typed).name}
          />
          <SubmitActions isPending={form.pending} isDisabled={name === user.name}>
            {t('common:save')}
          </SubmitActions>
        </SubmissionForm>
      </Card>
    </SettingsSection>
  )
}

/** A new password ends all other sessions. */
function PasswordSection() {
  const { t } = useTranslation(['account', 'signIn'])
  const client = useQueryClient()
  const [done, setDone] = useState(false)
  const { typed, field, clear, pending, problem, send } = useFields({ current: '', new: '' }, typed => ({
    current: typed.current === '' ? t('common:needsPassword') : '',
    new: newPasswordFault(typed.new, t),
  }))
  const save = () => {
    setDone(false)
    void send(async () => {
      await answer(changePassword({ body: { currentPassword: typed.current, newPassword: typed.new } }))
      await client.invalidateQueries({ queryKey: SESSIONS })
      clear()
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
          <TextField label={t('currentPassword')} {...AUTOFILL.password} {...field('current')} />
          <TextField
            label={t('newPassword')}
            hint={t('common:passwordHint', { count: SHORTEST_PASSWORD })}
            {...AUTOFILL.newPassword}
            {...field('new')}
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

const SESSIONS = ['sessions']

async function sessions() {
  const [all, present] = await Promise.all([answer(listSessions()), answer(getSession({}))])
  return all
    .map(session => ({ ...session, isHere: session.id === present?.session.id }))
    .sort((one, other) => Number(other.isHere) - Number(one.isHere))
}

/** Where the account is signed in. One session, or all others, can be ended. */
function SessionsSection() {
  const { t } = useTranslation('account')
  const client = useQueryClient()
  const read = useQuery({ queryKey: SESSIONS, queryFn: sessions })
  const { pending, problem, send } = useSubmission()
  const end = (work: () => Promise<unknown>) =>
    send(async () => {
      await work()
      await client.invalidateQueries({ queryKey: SESSIONS })
      return t('sessionEnded')
    })
  return (
    <SettingsSection
      title={t('sessions')}
      actions={
        read.data?.some(({ isHere }) => !isHere) && (
          <Button small isDisabled={pending} onPress={() => end(() => answer(revokeOtherSessions()))}>
            {t('endOthers')}
          </Button>
        )
      }
    >
      <Wrong problem={problem} />
      <Loaded read={read} lines={2}>
        {all => (
          <ul className="stack2">
            {all.map(({ id, token, userAgent, ipAddress, createdAt, isHere }) => {
              const device = deviceOf(userAgent ?? '') || t('unknownDevice')
              return (
                <li key={id} className={styles.row}>
                  <span className={styles.person}>
                    <span className={`row2 ${styles.name}`}>
                      {device} {isHere && <Badge kind="good">{t('thisSession')}</Badge>}
                    </span>
                    <span className={`quiet ${styles.times}`}>
                      {ipAddress && <code>{ipAddress}</code>}
                      <span>
                        {t('signedInSince')} <When date={createdAt} />
                      </span>
                    </span>
                  </span>
                  {!isHere && (
                    <Button
                      small
                      look="quiet"
                      isDisabled={pending}
                      onPress={() => end(() => answer(revokeSession({ body: { token } })))}
                      aria-label={t('endOne', { device })}
                    >
                      {t('end')}
                    </Button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </SettingsSection>
  )
}
