/** Who may create an account over HTTP, and which invitations are valid. */
import type { Engine } from './engine.ts'
import type { Memberships } from './memberships.ts'
import { Refusal } from './refusal.ts'
import { type LanguageRights, parseRights } from './rights.ts'

/**
 * - `open`: everybody
 * - `invite`: the very first user, then holders of an invitation
 * - `closed`: the operator alone
 */
export type SignUpMode = 'open' | 'invite' | 'closed'

interface InvitationRow {
  email: string
  status: string
  expiresAt: string
  organizationId: string
  /** 1 while its maker is a member. */
  isMade: number
}

/** An invitation that its user has neither accepted nor declined. */
interface PendingInvitation {
  id: string
  organizationId: string
  organizationName: string
  email: string
  role: string
  status: string
  expiresAt: string
  createdAt: string
  inviterId: string
  rights: LanguageRights | null
}

/** Rows in the list of invitations that wait for a user: one organization has one for an address. */
const MOST_WAITING = 1_000

const ASK = 'ask an owner or admin of the organization for a new one'

export class SignUpPolicy {
  readonly #mode
  readonly #memberships
  readonly #now
  readonly #byId
  readonly #byEmail
  readonly #isVerified
  readonly #waiting

  /** @param now milliseconds since 1970 */
  constructor(mode: SignUpMode, engine: Engine, memberships: Memberships, now: () => number) {
    this.#mode = mode
    this.#memberships = memberships
    this.#now = now
    const rows = `select email, status, expiresAt, organizationId, exists (select 1 from member where userId = inviterId
      and member.organizationId = invitation.organizationId) as isMade from invitation`
    this.#byId = engine.reads.prepare<[string], InvitationRow>(`${rows} where id = ?`)
    this.#byEmail = engine.reads.prepare<[string], InvitationRow>(`${rows} where lower(email) = lower(?)`)
    this.#isVerified = engine.reads.prepare<[string]>('select 1 from user where id = ? and emailVerified')
    this.#waiting = engine.reads.prepare<
      [string, string],
      Omit<PendingInvitation, 'rights'> & { rights: string | null }
    >(
      `select invitation.id, organizationId, organization.name as organizationName, email, role, status, expiresAt,
         invitation.createdAt, inviterId, rights
       from invitation join organization on organization.id = organizationId
       where lower(email) = lower(?) and status = 'pending' and expiresAt > ?
       order by invitation.createdAt desc limit ${MOST_WAITING}`,
    )
  }

  /**
   * @param invitation the id in the link, which proves the invitation: an address alone is known to others
   * @throws Refusal 403 when no account may be created
   */
  checkSignUp(email: unknown, invitation: unknown): void {
    if (this.#mode === 'open') return
    if (this.#mode === 'closed') throw closed()
    if (!this.#memberships.hasUsers()) return
    const row = this.#find(invitation)
    if (row && isFor(row, email) && this.#works(row)) return
    const [, why] = this.#fault(row, email) ?? []
    throw byInvitation(
      why ??
        'Sign-up is by invitation here: send the sign-up to the `url` of your invitation, and use the address that it was sent to.',
    )
  }

  /**
   * Lets in a newcomer from the OpenID provider, but never as the very first user. The verified address proves an
   * invitation. @throws Refusal 403
   */
  admitVerified(email: string): void {
    if (this.#mode === 'open') return
    if (this.#mode === 'closed') throw closed()
    if (this.#byEmail.all(email).some(row => this.#works(row))) return
    throw byInvitation(
      `Sign-up is by invitation here, and there is none for ${email}: ask an owner or admin of your organization for one.`,
    )
  }

  /**
   * The valid invitations to the user's address, newest first. better-auth would list every old one, too, and ask for
   * the organization of each. @throws Refusal 403 unless the address is known to be the user's
   */
  waitingFor({ id, email }: { id: string; email: string }): PendingInvitation[] {
    if (this.#isVerified.get(id)) {
      const rows = this.#waiting.all(email, new Date(this.#now()).toISOString())
      return rows.map(row => ({ ...row, rights: parseRights(row.rights) ?? null }))
    }
    const words = 'Nothing has proven yet that this address is yours: open the link of your invitation.'
    throw new Refusal(403, 'EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION', words)
  }

  /** @throws Refusal 400 for an invitation to this address that is no longer valid */
  checkUse(id: unknown, email: string): void {
    const fault = this.#fault(this.#find(id), email)
    if (fault) throw new Refusal(400, ...fault)
  }

  /** Answers alike for others' and for unknown invitations, unlike better-auth. @throws Refusal 400 */
  checkWithdrawal(id: unknown, user: string): void {
    const row = this.#find(id)
    if (row === undefined || this.#memberships.role(user, row.organizationId) === undefined) {
      throw new Refusal(400, 'INVITATION_NOT_FOUND', 'There is no such invitation in your organizations.')
    }
    if (row.status === 'pending') return
    const status = { canceled: 'withdrawn', rejected: 'declined' }[row.status] ?? row.status
    const words = `This invitation was ${status} before: nothing is left to withdraw.`
    throw new Refusal(400, 'INVITATION_NOT_PENDING', words)
  }

  /** Why an invitation is no longer valid, only for the invited address. */
  #fault(row: InvitationRow | undefined, email: unknown): [code: string, message: string] | undefined {
    if (row === undefined || !isFor(row, email)) return undefined
    switch (row.status) {
      case 'accepted':
        return ['INVITATION_USED', `This invitation was accepted before, and works once: ${ASK}.`]
      case 'rejected':
        return ['INVITATION_DECLINED', `This invitation was declined: ${ASK}.`]
      case 'pending':
        if (this.#isOpen(row)) return undefined
        return ['INVITATION_EXPIRED', `This invitation expired at ${row.expiresAt}: ${ASK}.`]
      default:
        return ['INVITATION_WITHDRAWN', `This invitation was withdrawn: ${ASK}.`]
    }
  }

  #works(row: InvitationRow): boolean {
    return row.status === 'pending' && row.isMade === 1 && this.#isOpen(row)
  }

  #isOpen({ expiresAt }: InvitationRow): boolean {
    return Date.parse(expiresAt) > this.#now()
  }

  #find(id: unknown): InvitationRow | undefined {
    return typeof id === 'string' ? this.#byId.get(id) : undefined
  }
}

const isFor = (row: InvitationRow, email: unknown) =>
  typeof email === 'string' && row.email.toLowerCase() === email.toLowerCase()
const byInvitation = (words: string) => new Refusal(403, 'SIGN_UP_BY_INVITATION', words)
const closed = () =>
  new Refusal(403, 'SIGN_UP_CLOSED', 'Sign-up is closed here: ask the operator of this server for an account.')
