/** Who may make an account over HTTP. */
import type { Invitations } from './invitations.ts'
import type { Memberships } from './memberships.ts'
import { Refusal } from './refusal.ts'
import { Slots } from './slots.ts'

/**
 * - `open`: everybody
 * - `invite`: the very first user, and from then on who holds an invitation
 * - `closed`: nobody, not even the first; accounts are made on the server's command line
 */
export type SignUpMode = 'open' | 'invite' | 'closed'

/** See the top of the file. */
export class SignUp {
  readonly #mode
  readonly #memberships
  readonly #invitations
  readonly #now
  readonly #one = new Slots(1)

  constructor(mode: SignUpMode, memberships: Memberships, invitations: Invitations, now: () => number) {
    this.#mode = mode
    this.#memberships = memberships
    this.#invitations = invitations
    this.#now = now
  }

  /**
   * Makes the account when that is allowed. While there is no user, sign-ups by invitation go one after another: the password's hash takes
   * longer than any look at the table, so that several first users could pass it at once.
   * @param invitation the id in the link; knowing it is what proves the invitation, as the address alone is known to others
   * @throws Refusal 403
   */
  async admit(email: unknown, invitation: unknown, make: () => Promise<Response>): Promise<Response> {
    if (this.#mode === 'open') return make()
    if (this.#mode === 'closed') throw closed()
    if (this.#memberships.hasUsers()) {
      this.#checkInvitation(email, invitation)
      return make()
    }
    return this.#one.run(() => {
      if (this.#memberships.hasUsers()) this.#checkInvitation(email, invitation)
      return make()
    })
  }

  /**
   * Lets somebody new in who signs in by the OpenID provider, which has verified the address: that proves an invitation made for it. Not
   * the very first user, who would be whoever of the provider's users comes first.
   * @throws Refusal 403
   */
  admitVerified(email: string): void {
    if (this.#mode === 'open') return
    if (this.#mode === 'closed') throw closed()
    if (this.#memberships.isInvited(email, this.#now())) return
    throw new Refusal(
      403,
      'SIGN_UP_BY_INVITATION',
      `Sign-up is by invitation here, and there is none for ${email}: ask an owner or admin of your organization for one.`,
    )
  }

  #checkInvitation(email: unknown, invitation: unknown): void {
    const invited =
      typeof invitation === 'string' ? this.#memberships.invitedAddress(invitation, this.#now()) : undefined
    if (invited !== undefined && typeof email === 'string' && email.toLowerCase() === invited) return
    throw new Refusal(
      403,
      'SIGN_UP_BY_INVITATION',
      this.#invitations.fault(invitation, email)?.message ??
        'Sign-up is by invitation here: send the sign-up to the `url` of your invitation, and use the address it was made for.',
    )
  }
}

const closed = () =>
  new Refusal(403, 'SIGN_UP_CLOSED', 'Sign-up is closed here: ask the operator of this server for an account.')
