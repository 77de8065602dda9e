/** The address of an invitation's page, which whoever invites hands on. */
import type { Invitation } from '../api/client.ts'
import { serverAddress } from '../project/server-address.ts'

/**
 * Names the address and the organization too, since strangers cannot ask the server for them. All of it stands behind
 * `#`, which browsers send to nobody.
 */
export function invitationLink({ id, email }: Pick<Invitation, 'id' | 'email'>, organization: string): string {
  const told = new URLSearchParams({ for: email, to: organization })
  return `${serverAddress()}/#/invitations/${id}?${told}`
}
