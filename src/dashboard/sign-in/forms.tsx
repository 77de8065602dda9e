/** The forms about accounts: their fields, the server's refusals in words, sign-in, sign-up and the OpenID provider. */
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { LogIn } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, answer, problemOf } from '../api/answer.ts'
import {
  getSignIn,
  linkProvider,
  type SignInProvider,
  signIn,
  signInByProvider,
  signUp,
  verifyBackupCode,
  verifyTotp,
} from '../api/client.ts'
import { statusSentence } from '../api/connection.ts'
import { Button } from '../ui/button.tsx'
import { Form, TextField, useSubmission, Wrong } from '../ui/form.tsx'
import styles from './entry.module.css'
import { storeNext } from './next.ts'

/** Attributes of fields that password managers fill. */
export const AUTOFILL = {
  email: { type: 'email', autoComplete: 'username' },
  password: { type: 'password', autoComplete: 'current-password' },
  newPassword: { type: 'password', autoComplete: 'new-password' },
  code: { autoComplete: 'one-time-code', code: true, autoFocus: true, isRequired: true },
} as const

/** Minimum characters of a password, as on the server. */
export const SHORTEST_PASSWORD = 8

/** The fault of a new password; '' is none. @param t of any namespace */
export const newPasswordFault = (password: string, t: TFunction): string =>
  password.length < SHORTEST_PASSWORD ? t('signIn:shortPassword', { count: SHORTEST_PASSWORD }) : ''

/** Whether a text, apart from spaces around it, may be an email address. */
export const isEmailAddress = (typed: string): boolean => /^[^\s@]+@[^\s@]+$/.test(typed.trim())

/** The dashboard's sentences for refusals of the accounts API, by their codes. */
const REFUSALS: Record<string, string> = {
  UNAUTHORIZED: 'common:signedOut',
  INVALID_EMAIL_OR_PASSWORD: 'wrongPassword',
  INVALID_PASSWORD: 'wrongOwnPassword',
  INVALID_CODE: 'wrongCode',
  INVALID_BACKUP_CODE: 'wrongBackupCode',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'knownAddress',
  USER_ALREADY_EXISTS: 'knownAddress',
  ORGANIZATION_ALREADY_EXISTS: 'takenSlug',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'takenSlug',
}

/** A {@link useSubmission} to the accounts API. */
export function useAccountSubmission<Name extends string = never>(faults = {} as Record<Name, string>) {
  const { t } = useTranslation('signIn')
  const sentence = (error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status === 0) return problemOf(error, t)
    const words = REFUSALS[(error.data as { code?: string } | undefined)?.code ?? '']
    return words === undefined ? error.message || statusSentence(error.status, t) : t(words)
  }
  return useSubmission({ faults, sentence })
}

/**
 * The text fields of a form about an account, and its submission.
 * @param check the fault of each field, '' is none; fields show them after the first attempt to send
 */
export function useFields<Name extends string>(
  initial: Record<Name, string>,
  check?: (typed: Record<Name, string>) => Record<Name, string>,
) {
  const [typed, setTyped] = useState(initial)
  const submission = useAccountSubmission(check?.(typed))
  const field = (name: Name) => ({
    value: typed[name],
    onChange: (value: string) => setTyped(typed => ({ ...typed, [name]: value })),
    error: submission.faults[name],
  })
  return { ...submission, typed, field, clear: () => setTyped(initial) }
}

type SubmissionFormProps = Omit<ComponentProps<typeof Form>, 'onSubmit'> & {
  form: Pick<ReturnType<typeof useSubmission>, 'send' | 'problem'>
  onSend: () => Promise<unknown>
}

/** A form that sends a submission, and shows why the last one failed. */
export function SubmissionForm({ form: { send, problem }, onSend, children, ...rest }: SubmissionFormProps) {
  return (
    <Form onSubmit={() => send(onSend)} {...rest}>
      <Wrong problem={problem} />
      {children}
    </Form>
  )
}

interface SignInFormProps {
  /** The only user who may sign in here; the field is read-only. */
  email?: string
  /** The password, or the provider, was given before: the code is left. */
  needsCode?: boolean
  onDone: () => Promise<unknown>
}

/** Address and password, then the code of the second factor. */
export function SignInForm({ email: known, needsCode = false, onDone }: SignInFormProps) {
  const { t } = useTranslation('signIn')
  const [waits, setWaits] = useState(needsCode)
  const form = useFields({ email: known ?? '', password: '' }, ({ email, password }) => ({
    email: email.trim() === '' ? t('needsEmail') : '',
    password: password === '' ? t('common:needsPassword') : '',
  }))
  const enter = async () => {
    const result = await answer(signIn({ body: { ...form.typed, email: form.typed.email.trim() } }))
    if ('twoFactorRedirect' in result) setWaits(true)
    else await onDone()
  }
  if (waits) return <CodeForm onDone={onDone} onBack={() => setWaits(false)} />
  const isKnown = known !== undefined
  return (
    <SubmissionForm form={form} onSend={enter}>
      <TextField
        label={t('common:email')}
        name="email"
        isReadOnly={isKnown}
        autoFocus={!isKnown}
        {...AUTOFILL.email}
        {...form.field('email')}
      />
      <TextField
        label={t('common:password')}
        name="password"
        autoFocus={isKnown}
        {...AUTOFILL.password}
        {...form.field('password')}
      />
      <Button type="submit" look="primary" isPending={form.pending}>
        {t('signIn')}
      </Button>
    </SubmissionForm>
  )
}

/** The second step: the app's code, or a backup code. @param onBack begins again with the password */
function CodeForm({ onDone, onBack }: { onDone: () => Promise<unknown>; onBack: () => void }) {
  const { t } = useTranslation('signIn')
  const [backup, setBackup] = useState(false)
  const form = useFields({ code: '' })
  const verify = async () => {
    const body = { code: form.typed.code.replace(/\s/g, '') }
    await answer(backup ? verifyBackupCode({ body }) : verifyTotp({ body }))
    await onDone()
  }
  const other = () => {
    setBackup(!backup)
    form.clear()
    form.forget()
  }
  return (
    <SubmissionForm form={form} onSend={verify} native>
      <TextField
        key={String(backup)}
        label={backup ? t('backupCode') : t('code')}
        hint={backup ? t('backupCodeHint') : t('codeHint')}
        inputMode={backup ? 'text' : 'numeric'}
        {...AUTOFILL.code}
        {...form.field('code')}
      />
      <Button type="submit" look="primary" isPending={form.pending}>
        {t('confirmCode')}
      </Button>
      <div className={`row2 ${styles.links}`}>
        <Button look="quiet" small onPress={other}>
          {backup ? t('useApp') : t('useBackupCode')}
        </Button>
        <Button look="quiet" small onPress={onBack}>
          {t('beginAgain')}
        </Button>
      </div>
    </SubmissionForm>
  )
}

interface SignUpFormProps {
  /** The id of an invitation, which lets one in where sign-up is not open. */
  invitation?: string
  /** The address of the invitation. */
  email?: string
  /** The words on the button, if other than the default. */
  doIt?: string
  onDone: () => Promise<unknown>
}

export function SignUpForm({ invitation, email: invited = '', doIt, onDone }: SignUpFormProps) {
  const { t } = useTranslation('signIn')
  const form = useFields({ name: '', email: invited, password: '' }, ({ name, email, password }) => ({
    name: name.trim() === '' ? t('common:needsName') : '',
    email: isEmailAddress(email) ? '' : t('needsEmail'),
    password: newPasswordFault(password, t),
  }))
  const create = async () => {
    const { name, email, password } = form.typed
    const body = { name: name.trim(), email: email.trim(), password, ...(invitation && { invitation }) }
    await answer(signUp({ body }))
    await onDone()
  }
  return (
    <SubmissionForm form={form} onSend={create}>
      <TextField
        label={t('common:name')}
        hint={t('common:nameHint')}
        autoComplete="name"
        autoFocus
        {...form.field('name')}
      />
      <TextField label={t('common:email')} isReadOnly={invited !== ''} {...AUTOFILL.email} {...form.field('email')} />
      <TextField
        label={t('common:password')}
        hint={t('common:passwordHint', { count: SHORTEST_PASSWORD })}
        {...AUTOFILL.newPassword}
        {...form.field('password')}
      />
      <Button type="submit" look="primary" isPending={form.pending}>
        {doIt ?? t('makeAccount')}
      </Button>
    </SubmissionForm>
  )
}

/** By the server's settings. */
export const useSignInMethods = () =>
  useQuery({ queryKey: ['ways'], queryFn: () => answer(getSignIn()), staleTime: 30_000 })

/** Leaves for the provider, which redirects back. @param link links it to the account of this session instead */
export function ProviderButton({ provider, next, link }: { provider: SignInProvider; next: string; link?: boolean }) {
  const { t } = useTranslation('signIn')
  const { pending, problem, send } = useAccountSubmission()
  const leave = async () => {
    const { pathname } = location
    const body = { provider: provider.id, callbackURL: pathname, errorCallbackURL: pathname }
    const { url } = await answer(link ? linkProvider({ body }) : signInByProvider({ body }))
    storeNext(next)
    location.assign(url)
  }
  return (
    <>
      <Button icon={<LogIn aria-hidden />} isPending={pending} onPress={() => send(leave)}>
        {t(link ? 'linkProvider' : 'byProvider', { provider: provider.name })}
      </Button>
      <Wrong problem={problem} />
    </>
  )
}

/** The provider as the other way in, below a form; nothing on a server without one. */
export function OrProvider({ next }: { next: string }) {
  const { t } = useTranslation('signIn')
  const provider = useSignInMethods().data?.provider
  if (!provider) return null
  return (
    <div className="stack4">
      <p className={`row3 ${styles.or}`}>{t('or')}</p>
      <ProviderButton provider={provider} next={next} />
    </div>
  )
}
