/** The link of an invitation, for signed-in readers and newcomers. */
import { useEffect } from 'react'
import { useViewer } from '../api/session.ts'
import { Accept } from './accept.tsx'
import { GetIn } from './get-in.tsx'
import { rememberInvitation } from './open-invitations.ts'

/**
 * `?for=` and `?to=` in the link are the invited address and the organization's name: strangers cannot ask for them.
 */
export default function InvitationPage({ id }: { id: string }) {
  const { data: viewer } = useViewer()
  useEffect(() => rememberInvitation(id), [id])
  return viewer ? <Accept id={id} email={viewer.user.email} /> : <GetIn id={id} />
}
