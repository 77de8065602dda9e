/** An invitation, for signed-in readers. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, answer } from '../api/answer.ts'
import { getInvitation, rejectInvitation } from '../api/client.ts'
import { roleName } from '../api/roles.ts'
import { Button } from '../ui/button.tsx'
import { Wrong } from '../ui/form.tsx'
import { go } from '../ui/location.ts'
import { Loaded } from '../ui/state.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { Entry } from './entry.tsx'
import { forgetInvitation } from './open-invitations.ts'
import { SignOutButton } from './sign-out-button.tsx'
import { useJoin } from './use-join.ts'

/** Accepts it or declines it. */
export function Accept({ id, email }: { id: string; email: string }) {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const read = useQuery({ queryKey: ['own-invitations', id], queryFn: () => answer(getInvitation({ id })) })
  const { pending, problem, send } = useSubmission()
  const join = useJoin()
  const accept = () => send(() => join(id))
  const decline = () =>
    send(async () => {
      await answer(rejectInvitation({ body: { invitationId: id } }))
      forgetInvitation()
      // From now on, its link shows that it was declined.
      client.removeQueries({ queryKey: ['own-invitations'] })
      go('/')
      return t('declined')
    })
  const refused = read.error instanceof ApiProblem
  useEffect(() => {
    if (refused) forgetInvitation()
  }, [refused])
  const name = read.data?.organizationName
  return (
    <Entry
      title={name === undefined ? t('invited') : t('invitedTo', { name })}
      lead={t('signedInAs', { email })}
      aside={<SignOutButton />}
    >
      <Loaded read={read} lines={2}>
        {({ inviterEmail, role }) => (
          <div className="stack">
            <p>{t('invitedBy', { inviter: inviterEmail, role: roleName(role, t) })}</p>
            <Wrong problem={problem} />
            <Button look="primary" isPending={pending} onPress={() => void accept()}>
              {t('accept')}
            </Button>
            <Button look="quiet" isDisabled={pending} onPress={() => void decline()}>
              {t('decline')}
            </Button>
          </div>
        )}
      </Loaded>
      {read.error && (
        <p className="quiet">
          {read.error instanceof ApiProblem && read.error.status === 403 && t('invitationOfAnother')}{' '}
          <a href="#/">{t('common:toProjects')}</a>
        </p>
      )}
    </Entry>
  )
}
