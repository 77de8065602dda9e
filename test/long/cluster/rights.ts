/** Grants and revokes rights at one node, and checks them at every node at once. */
import { setTimeout as pause } from 'node:timers/promises'
import { SILENCE_MS } from '../../../src/cluster/lease.ts'
import { Session } from '../../contract/server.ts'
import { ask, type Clients, isStale, type Outcome, SHARED } from './clients.ts'

type Request = readonly [method: string, path: string, body?: unknown]
type IsDone = (status: Outcome['status']) => boolean

/** Between one right and the next: each is a commit that all nodes wait for, a sign-in work for a processor, too. */
const REST_MS = 250

/**
 * See the top of the file. 400 or 404: an earlier try succeeded and its answer was lost. That node may know of it
 * before the others, which follow when all former leases have ended.
 */
export class Rights {
  readonly #clients: Clients
  readonly #member: Session

  /** @param member one who is asked out of the organization and into it again */
  constructor(clients: Clients, member: Session) {
    this.#clients = clients
    this.#member = member
  }

  async token(): Promise<void> {
    const { owner } = this.#clients.organization
    const asked = { name: 'short-lived', scope: 'read' }
    const made = await this.#do('a token made', owner, ['POST', '/api/tokens', asked], status => status === 201)
    const { id, key } = JSON.parse(made.text)
    await this.#nowhere({ 'x-api-key': key }, 401, 'does not know the new token')
    const isEnded: IsDone = status => status === 204 || status === 404
    await this.#do('a token revoked', owner, ['DELETE', `/api/tokens/${id}`], isEnded)
    await this.#nowhere({ 'x-api-key': key }, 200, 'accepts a revoked token')
    await pause(REST_MS)
  }

  async session(): Promise<void> {
    const { email } = this.#clients.organization.owner.user
    const { password } = this.#clients.organization.owner
    const session = new Session()
    const signIn = ['POST', '/api/auth/sign-in/email', { email, password }] as const
    session.keep((await this.#do('a sign-in', session, signIn, status => status === 200)).headers)
    const { cookie } = session
    await this.#nowhere({ cookie }, 401, 'does not know the new session')
    await this.#do('a sign-out', session, ['POST', '/api/auth/sign-out', {}], status => status === 200)
    await this.#nowhere({ cookie }, 200, 'accepts a session after its sign-out')
    await pause(REST_MS)
  }

  async membership(): Promise<void> {
    const { owner } = this.#clients.organization
    const { cookie, user } = this.#member
    const remove = ['POST', '/api/auth/organization/remove-member', { memberIdOrEmail: user.email }] as const
    await this.#do('a member removed', owner, remove, status => status === 200 || status === 400)
    await this.#nowhere({ cookie }, 200, 'lets a removed member read')
    const invited = { email: user.email, role: 'member', resend: true }
    const invite = ['POST', '/api/auth/organization/invite-member', invited] as const
    const { text } = await this.#do('an invitation', owner, invite, status => status === 200)
    const accept = ['POST', '/api/auth/organization/accept-invitation', { invitationId: JSON.parse(text).id }] as const
    await this.#do('an invitation accepted', this.#member, accept, status => status === 200 || status === 400)
    await this.#nowhere({ cookie }, 403, 'refuses a new member')
    await pause(REST_MS)
  }

  /** Asks one node after the other until one succeeds. */
  async #do(what: string, who: Session, [method, path, body]: Request, isDone: IsDone): Promise<Outcome> {
    for (;;) {
      const node = this.#clients.any()
      const headers = { origin: node.base, ...(who.cookie && { cookie: who.cookie }) }
      const outcome = await ask(node, method, path, headers, body)
      if (isDone(outcome.status)) {
        if (Number(outcome.status) >= 300) await pause(SILENCE_MS)
        return outcome
      }
      await this.#clients.excuse(what, node, outcome)
    }
  }

  /** No node that is sure of itself answers so. */
  async #nowhere(headers: Record<string, string>, status: number, wrong: string): Promise<void> {
    for (const node of this.#clients.nodes) {
      const used = await ask(node, 'GET', SHARED, headers)
      if (used.status === status && !isStale(used)) this.#clients.surprise(`${node.name} ${wrong}`)
    }
  }
}
