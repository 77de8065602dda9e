/** The invitations that wait for the reader, wherever the reader lands after signing in. */
import { useQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { listUserInvitations } from '../api/client.ts'
import { useViewer } from '../api/session.ts'

/** The invitation of the link that this tab opened. */
const OPENED = 'parlance.invitation'

/** Remembers a link that was opened, for the time after sign-in. */
export const rememberInvitation = (id: string): void => sessionStorage.setItem(OPENED, id)

/** Forgets it: it was accepted, declined, or expired. */
export const forgetInvitation = (): void => sessionStorage.removeItem(OPENED)

/** An invitation that the reader can accept, with the organization's name. Without one, only the link is known. */
interface OpenInvitation {
  id: string
  name: string | undefined
}

/**
 * The server's invitations, and the one of the opened link; undefined while they load. The server lists invitations
 * only for a verified address.
 */
export function useOpenInvitations(): readonly OpenInvitation[] | undefined {
  const { data: viewer } = useViewer()
  const { data = [], isLoading } = useQuery({
    queryKey: ['own-invitations'],
    queryFn: () => answer(listUserInvitations()),
    enabled: viewer?.user.emailVerified === true,
  })
  if (isLoading) return undefined
  const listed = data.map(({ id, organizationName }) => ({ id, name: organizationName }))
  const opened = sessionStorage.getItem(OPENED)
  if (opened === null || listed.some(({ id }) => id === opened)) return listed
  return [...listed, { id: opened, name: undefined }]
}
