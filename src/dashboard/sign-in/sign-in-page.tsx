/** Sign-in by the methods that the server allows. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Redirect, useSearch } from 'wouter'
import type { SignIn } from '../api/client.ts'
import { forgetQueries } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/state.tsx'
import type { Arrival } from './arrival.ts'
import { Entry } from './entry.tsx'
import { nextOf, withNext } from './next.ts'
import { OrProvider } from './provider-button.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useSignInMethods } from './sign-in-methods.ts'

/** @param arrival what the provider's redirection brought along */
export function SignInPage({ arrival }: { arrival: Arrival }) {
  const { t } = useTranslation('signIn')
  const ways = useSignInMethods()
  const next = nextOf(useSearch())
  const client = useQueryClient()
  const onDone = async () => {
    await forgetQueries(client)
    announce(t('signedIn'))
  }
  if (ways.data?.firstUser) return <Redirect to="/sign-up" replace />
  return (
    <Entry
      title={arrival.needsCode ? t('secondStep') : t('signIn')}
      {...(ways.data && { below: <OtherWays ways={ways.data} next={next} /> })}
    >
      <Loaded read={ways} lines={3}>
        {({ provider, signUp }) => (
          <div className="stack">
            {arrival.error !== '' && <Notice kind="bad">{providerProblem(arrival.error, signUp, t)}</Notice>}
            <SignInForm needsCode={arrival.needsCode} onDone={onDone} />
            {!arrival.needsCode && <OrProvider provider={provider} next={next} />}
          </div>
        )}
      </Loaded>
    </Entry>
  )
}

function OtherWays({ ways: { signUp }, next }: { ways: SignIn; next: string }) {
  const { t } = useTranslation('signIn')
  return (
    <>
      {signUp === 'open' && (
        <p>
          {t('noAccount')} <a href={`#${withNext('/sign-up', next)}`}>{t('makeAccount')}</a>
        </p>
      )}
      {signUp === 'invite' && <p>{t('byInvitation')}</p>}
      {signUp === 'closed' && <p>{t('byOperator')}</p>}
      <p>{t('forgotten')}</p>
    </>
  )
}

/** The provider's error codes that people can do something about. */
function providerProblem(
  code: string,
  signUp: SignIn['signUp'],
  t: ReturnType<typeof useTranslation<'signIn'>>['t'],
): string {
  switch (code) {
    case 'account_not_linked':
      return t('notLinked')
    case 'access_denied':
      return t('providerDenied')
    case 'unable_to_create_user':
      // The settings refuse new users, so another attempt would not help.
      if (signUp !== 'open') return t(signUp === 'invite' ? 'byInvitation' : 'byOperator')
      return t('providerFailed', { code })
    default:
      return t('providerFailed', { code })
  }
}
