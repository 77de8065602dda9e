/** Signing in or up on the way to an invitation. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { VIEWER } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Entry } from './entry.tsx'
import { OrProvider } from './provider-button.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useSignInMethods } from './sign-in-methods.ts'
import { SignUpForm } from './sign-up-form.tsx'
import { useJoin } from './use-join.ts'

/** By the address that was invited. */
export function GetIn({ id }: { id: string }) {
  const { t } = useTranslation('signIn')
  const link = new URLSearchParams(useSearch())
  const email = link.get('for') ?? ''
  const name = link.get('to') ?? ''
  const ways = useSignInMethods()
  const client = useQueryClient()
  const [known, setKnown] = useState(false)
  const onDone = () => client.invalidateQueries({ queryKey: VIEWER })
  const join = useJoin()
  const onSignUp = async () => {
    try {
      announce(await join(id))
    } catch {
      // The account exists. The invitation reports why it cannot be accepted.
      await onDone()
    }
  }
  return (
    <Entry
      title={name === '' ? t('invited') : t('invitedTo', { name })}
      lead={known ? t('invitedSignIn') : t('invitedSignUp')}
      below={
        <p>
          {known ? t('noAccount') : t('haveAccount')}{' '}
          <Button look="quiet" small onPress={() => setKnown(!known)}>
            {known ? t('makeAccount') : t('signIn')}
          </Button>
        </p>
      }
    >
      {known ? (
        <SignInForm onDone={onDone} />
      ) : (
        <SignUpForm invitation={id} email={email} doIt={t('makeAccountAndJoin')} onDone={onSignUp} />
      )}
      <OrProvider provider={ways.data?.provider} next={`/invitations/${id}`} />
    </Entry>
  )
}
