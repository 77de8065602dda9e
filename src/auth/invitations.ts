/** Invitations that no longer work, told from those that never were: whoever was invited hears why, and how to get a new one. */
import type { Database } from './database.ts'
import type { Memberships } from './memberships.ts'
import { Refusal } from './refusal.ts'

interface Row {
  email: string
  status: string
  expiresAt: string
  organizationId: string
}

const ASK = 'ask an owner or admin of the organization for a new one'

/** See the top of the file. */
export class Invitations {
  readonly #memberships
  readonly #now
  readonly #byId

  /** @param now milliseconds since 1970 */
  constructor(database: Database, memberships: Memberships, now: () => number) {
    this.#memberships = memberships
    this.#now = now
    this.#byId = database.prepare<[string], Row>(
      'select email, status, expiresAt, organizationId from invitation where id = ?',
    )
  }

  /**
   * Why an invitation is of no use any more, for whoever holds its id and has the address that it was made for; undefined for all others,
   * and while it works.
   */
  fault(id: unknown, email: unknown): { code: string; message: string } | undefined {
    const row = this.#find(id)
    if (row === undefined || typeof email !== 'string' || row.email.toLowerCase() !== email.toLowerCase()) return
    if (row.status === 'accepted') {
      return { code: 'INVITATION_USED', message: `This invitation was accepted before, and works once: ${ASK}.` }
    }
    if (row.status === 'rejected') {
      return { code: 'INVITATION_DECLINED', message: `This invitation was declined: ${ASK}.` }
    }
    if (row.status !== 'pending')
      return { code: 'INVITATION_WITHDRAWN', message: `This invitation was withdrawn: ${ASK}.` }
    if (Date.parse(row.expiresAt) > this.#now()) return
    return { code: 'INVITATION_EXPIRED', message: `This invitation expired at ${row.expiresAt}: ${ASK}.` }
  }

  /** @throws Refusal 400 as {@link fault} says */
  checkUse(id: unknown, email: string): void {
    const fault = this.fault(id, email)
    if (fault) throw new Refusal(400, fault.code, fault.message)
  }

  /**
   * better-auth tells an invitation of an organization that one is no member of from one that does not exist, and withdraws what was accepted.
   * @throws Refusal 400
   */
  checkWithdrawal(id: unknown, user: string): void {
    const row = this.#find(id)
    if (row === undefined || this.#memberships.role(user, row.organizationId) === undefined) {
      throw new Refusal(400, 'INVITATION_NOT_FOUND', 'There is no such invitation in your organizations.')
    }
    if (row.status === 'pending') return
    const status = row.status === 'canceled' ? 'withdrawn' : row.status === 'rejected' ? 'declined' : row.status
    throw new Refusal(
      400,
      'INVITATION_NOT_PENDING',
      `This invitation was ${status} before: nothing is left to withdraw.`,
    )
  }

  #find(id: unknown): Row | undefined {
    return typeof id === 'string' ? this.#byId.get(id) : undefined
  }
}
