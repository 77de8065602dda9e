/** Whether a caller still may what its request was let in for: asked at the moment of the write, however long the body took to arrive. */
import { Failure } from '../bundle/errors.ts'
import { type Caller, type Permission, permit, strongestRole } from './access.ts'
import type { Database } from './database.ts'
import type { Tokens } from './tokens.ts'

/** What a request is told whose session is gone, or that never had one. */
export const signInFirst = () => new Failure('unauthenticated', 'Sign in, or send an API token in x-api-key.')

/** What a request is told whose API token is worth nothing. */
export const unknownToken = (key = '') =>
  new Failure(
    'unauthenticated',
    /^\s*(bearer|basic|token)\s/i.test(key)
      ? 'The header x-api-key takes the API token alone, such as prl_…, with no word before it.'
      : 'The API token in x-api-key is unknown, expired or revoked.',
  )

/** What a user is told who has to choose another organization. */
export const notAMember = () =>
  new Failure('forbidden', 'You are no longer a member of the organization that you had chosen: choose another one.')

/** See the top of the file. */
export class Recheck {
  readonly #tokens
  readonly #session
  readonly #role

  constructor(database: Database, tokens: Tokens) {
    this.#tokens = tokens
    this.#session = database.prepare<[string, string], { expiresAt: string }>(
      'select expiresAt from session where id = ? and userId = ?',
    )
    this.#role = database.prepare<[string, string], { role: string }>(
      'select role from member where userId = ? and organizationId = ?',
    )
  }

  /**
   * Synchronous, so that nothing comes between it and a write that follows in the same callback. Costs one or two looks into SQLite's cache.
   * @param caller as `identify` knew it when the request began
   * @throws Failure `unauthenticated` when the token is revoked or expired, or the session over; `forbidden` when the user is no longer a
   * member, or the present role or scope does not suffice
   */
  ask(caller: Caller, permission: Permission): void {
    if (caller.kind === 'token') {
      const present = this.#tokens.present(caller.id)
      if (present?.organization !== caller.organization) throw unknownToken()
      permit(present, permission)
      return
    }
    const session = this.#session.get(caller.session ?? '', caller.id)
    if (session === undefined || !(Date.parse(session.expiresAt) > Date.now())) throw signInFirst()
    const member = this.#role.get(caller.id, caller.organization)
    if (member === undefined) throw notAMember()
    permit({ ...caller, role: strongestRole(member.role) }, permission)
  }
}
