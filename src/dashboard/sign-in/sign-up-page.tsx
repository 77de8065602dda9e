/** Creates an account: the first one of a server, or another. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { forgetQueries } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/state.tsx'
import { Entry } from './entry.tsx'
import { nextOf, withNext } from './next.ts'
import { OrProvider } from './provider-button.tsx'
import { useSignInMethods } from './sign-in-methods.ts'
import { SignUpForm } from './sign-up-form.tsx'
import { Steps } from './steps.tsx'

/** By the server's setting SIGN_UP; `?invitation=` is the id in an invitation's link. */
export function SignUpPage() {
  const { t } = useTranslation('signIn')
  const ways = useSignInMethods()
  const search = useSearch()
  const next = nextOf(search)
  const invitation = new URLSearchParams(search).get('invitation') ?? ''
  const client = useQueryClient()
  const onDone = async () => {
    await forgetQueries(client)
    announce(t('signedIn'))
  }
  const first = ways.data?.firstUser === true
  const mayTry = ways.data?.signUp === 'open' || first || invitation !== ''
  return (
    <Entry
      title={first ? t('firstAccount') : t('makeAccount')}
      lead={first ? t('firstAccountWhy') : undefined}
      above={first && <Steps at="account" />}
      below={
        !first && (
          <p>
            {t('haveAccount')} <a href={`#${withNext('/sign-in', next)}`}>{t('signIn')}</a>
          </p>
        )
      }
    >
      <Loaded read={ways} lines={3}>
        {({ signUp, provider }) => (
          <div className="stack">
            {mayTry ? (
              <SignUpForm {...(invitation !== '' && { invitation })} onDone={onDone} />
            ) : (
              <Notice>{signUp === 'invite' ? t('byInvitation') : t('byOperator')}</Notice>
            )}
            {!first && <OrProvider provider={provider} next={next} />}
          </div>
        )}
      </Loaded>
    </Entry>
  )
}
