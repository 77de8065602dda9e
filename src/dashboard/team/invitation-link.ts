/** The address of an invitation, which the inviter sends to the guest. */
import type { Invitation } from '../api/client.ts'
import { serverAddress } from '../api/server-address.ts'

/**
 * Names the address and the organization too, since guests cannot read them from the server. All of it stands behind
 * `#`, which browsers do not send.
 */
export function invitationLink({ id, email }: Pick<Invitation, 'id' | 'email'>, organization: string): string {
  const query = new URLSearchParams({ for: email, to: organization })
  return `${serverAddress()}/#/invitations/${id}?${query}`
}
