/** The link of an invitation, for signed-in readers and newcomers. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { ApiProblem, answer } from '../api/answer.ts'
import { acceptInvitation, getInvitation, rejectInvitation, setActiveOrganization } from '../api/client.ts'
import { roleName } from '../api/rights.ts'
import { forgetQueries, useViewer, VIEWER } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { useSubmission, Wrong } from '../ui/form.tsx'
import { go } from '../ui/location.ts'
import { Loaded } from '../ui/page.tsx'
import { Entry } from './entry.tsx'
import { OrProvider, SignInForm, SignUpForm } from './forms.tsx'
import { forgetInvitation, rememberInvitation } from './open-invitations.ts'
import { SignOutButton } from './sign-out.tsx'

/** `?for=` and `?to=` hold the invited address and the organization's name, which strangers cannot read. */
export default function InvitationPage({ id }: { id: string }) {
  const { data: viewer } = useViewer()
  useEffect(() => rememberInvitation(id), [id])
  return viewer ? <Accept id={id} email={viewer.user.email} /> : <GetIn id={id} />
}

/** Accepts the invitation, opens its organization and returns the sentence to announce. @throws ApiProblem */
export function useJoin(): (id: string) => Promise<string> {
  const { t } = useTranslation()
  const client = useQueryClient()
  return async id => {
    const { organizationId, organizationName: name } = await answer(getInvitation({ id }))
    await answer(acceptInvitation({ body: { invitationId: id } }))
    forgetInvitation()
    await answer(setActiveOrganization({ body: { organizationId } }))
    await forgetQueries(client)
    go('/projects')
    return t('organizationNow', { name })
  }
}

/** A signed-in reader accepts the invitation or declines it. */
function Accept({ id, email }: { id: string; email: string }) {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const read = useQuery({ queryKey: ['own-invitations', id], queryFn: () => answer(getInvitation({ id })) })
  const { pending, problem, send } = useSubmission()
  const join = useJoin()
  const decline = () =>
    send(async () => {
      await answer(rejectInvitation({ body: { invitationId: id } }))
      forgetInvitation()
      // From now on, its link shows that it was declined.
      client.removeQueries({ queryKey: ['own-invitations'] })
      go('/')
      return t('declined')
    })
  const refusal = read.error instanceof ApiProblem ? read.error.status : undefined
  useEffect(() => {
    if (refusal !== undefined) forgetInvitation()
  }, [refusal])
  const name = read.data?.organizationName
  return (
    <Entry
      title={name === undefined ? t('invited') : t('invitedTo', { name })}
      lead={t('signedInAs', { email })}
      aside={<SignOutButton />}
    >
      <Loaded read={read} lines={2}>
        {({ inviterEmail, role }) => (
          <div className="stack4">
            <p>{t('invitedBy', { inviter: inviterEmail, role: roleName(role, t) })}</p>
            <Wrong problem={problem} />
            <Button look="primary" isPending={pending} onPress={() => send(() => join(id))}>
              {t('accept')}
            </Button>
            <Button look="quiet" isDisabled={pending} onPress={decline}>
              {t('decline')}
            </Button>
          </div>
        )}
      </Loaded>
      {read.error && (
        <p className="quiet">
          {refusal === 403 && t('invitationOfAnother')} <a href="#/">{t('common:toProjects')}</a>
        </p>
      )}
    </Entry>
  )
}

/** Signing in or up, by the address that was invited. */
function GetIn({ id }: { id: string }) {
  const { t } = useTranslation('signIn')
  const link = new URLSearchParams(useSearch())
  const name = link.get('to') ?? ''
  const client = useQueryClient()
  const [known, setKnown] = useState(false)
  const onDone = () => client.invalidateQueries({ queryKey: VIEWER })
  const join = useJoin()
  // The account exists even if `join` fails. The invitation then shows why it cannot be accepted.
  const onSignUp = () => join(id).then(announce, onDone)
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
        <SignUpForm invitation={id} email={link.get('for') ?? ''} doIt={t('makeAccountAndJoin')} onDone={onSignUp} />
      )}
      <OrProvider next={`/invitations/${id}`} />
    </Entry>
  )
}
