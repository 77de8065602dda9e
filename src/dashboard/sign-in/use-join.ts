/** Joins an organization by an invitation. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { acceptInvitation, getInvitation, setActiveOrganization } from '../api/client.ts'
import { forgetQueries } from '../api/session.ts'
import { go } from '../ui/location.ts'
import { forgetInvitation } from './open-invitations.ts'

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
