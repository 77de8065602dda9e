/** The invitations that wait for the reader, wherever the reader lands after signing in. */
import { useQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { listUserInvitations } from '../api/client.ts'
import type { Viewer } from '../api/session.ts'

/** The invitation of the link that this tab opened. */
const OPENED = 'parlance.invitation'

/** An invitation that the reader can accept. */
export interface OpenInvitation {
  id: string
  /** The organization's; undefined where only the link is known. */
  name: string | undefined
}

/** Remembers a link that was opened, for the time after sign-in. */
export const rememberInvitation = (id: string): void => sessionStorage.setItem(OPENED, id)

/** Forgets it: it was accepted, declined, or expired. */
export const forgetInvitation = (): void => sessionStorage.removeItem(OPENED)

/**
 * The server's invitations, and the one of the opened link. The server lists invitations only for a verified address.
 */
export function useOpenInvitations(viewer: Viewer): readonly OpenInvitation[] {
  return useListedInvitations(viewer) ?? []
}

/** The same; undefined while they load. */
export function useListedInvitations({ user }: Viewer): readonly OpenInvitation[] | undefined {
  const { data = [], isLoading } = useQuery({
    queryKey: ['own-invitations'],
    queryFn: () => answer(listUserInvitations()),
    enabled: user.emailVerified,
  })
  if (isLoading) return undefined
  const listed = data.map(({ id, organizationName }) => ({ id, name: organizationName }))
  const opened = sessionStorage.getItem(OPENED)
  if (opened === null || listed.some(({ id }) => id === opened)) return listed
  return [...listed, { id: opened, name: undefined }]
}
