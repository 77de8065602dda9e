/**
 * A request under /api/auth on its way to better-auth and back: allow-list, limits, whose session it is, the rules of our own;
 * then its answer in Parlance's form, whatever failed.
 */
import type { Acting } from './acting.ts'
import { type Body, readBody } from './body.ts'
import { databaseFailure } from './database.ts'
import type { Invitations } from './invitations.ts'
import { endingOtherSessions, innerHeaders, refuseOddProfile, refuseTrustedDevice } from './inward.ts'
import type { AuthLog } from './log.ts'
import type { Memberships } from './memberships.ts'
import { BASE_PATH, CALLBACK } from './mount.ts'
import type { NotedFailures } from './noted-failures.ts'
import type { OidcSignIn } from './oidc-sign-in.ts'
import type { RateLimit } from './rate-limit.ts'
import { inOurForm, Refusal, SECOND_FACTOR_UNREADABLE, SERVER_FAILED } from './refusal.ts'
import { ABOUT_CODES, ABOUT_INVITATIONS, BEGINS_BY_PROVIDER, limitOf, SIGNS_IN, WITHDRAWAL } from './routes.ts'
import { isCrossSite } from './same-origin.ts'
import type { Session, Sessions } from './sessions.ts'
import type { SignUp } from './sign-up.ts'
import type { UsedCodes } from './used-codes.ts'

/** Who has a say on the way, and what is behind them. */
export interface RequestParts {
  sessions: Sessions
  memberships: Memberships
  invitations: Invitations
  signUp: SignUp
  usedCodes: UsedCodes
  /** Undefined where nobody signs in by a provider. */
  oidc: OidcSignIn | undefined
  /** Undefined where requests are not limited. */
  limits: RateLimit | undefined
  /** What the disk refused under better-auth. */
  noted: NotedFailures
  log: AuthLog
  /** Asks better-auth. */
  pass: (url: URL, init: RequestInit, acting: Acting) => Promise<Response>
  /** Notes a sign-in with a wrong password; never rejects. */
  signInFailed: (email: string, clientAddress: string) => Promise<void>
}

/** See the top of the file. */
export class AuthRequests {
  readonly #parts: RequestParts

  constructor(parts: RequestParts) {
    this.#parts = parts
  }

  /** See {@link Auth.handle}. */
  async handle(request: Request, clientAddress: string, secure: boolean): Promise<Response> {
    const { noted, log } = this.#parts
    const failures = noted.count
    try {
      const answer = await this.#answer(request, clientAddress)
      if (answer.status >= 400 && noted.count > failures) throw new Error('The accounts could not be written.')
      const response = await inOurForm(answer, secure)
      return request.method === 'HEAD' ? new Response(null, response) : response
    } catch (error) {
      // What the disk refused, better-auth may say in a redirection of its own.
      if (error instanceof Refusal && noted.count === failures) {
        if (error.status >= 500) log.warn({ code: error.code }, error.message)
        return error.response()
      }
      log.error({ err: error }, 'A request under /api/auth failed.')
      const failure = databaseFailure(error) ?? (noted.count > failures ? noted.last : undefined)
      if (failure?.code === 'no-space') return new Refusal(507, 'INSUFFICIENT_STORAGE', failure.message).response()
      if (failure) return new Refusal(503, 'SERVICE_UNAVAILABLE', failure.message).response()
      if (ABOUT_CODES.test(new URL(request.url).pathname.slice(BASE_PATH.length))) {
        return new Refusal(503, 'SECOND_FACTOR_UNREADABLE', SECOND_FACTOR_UNREADABLE).response()
      }
      return new Refusal(500, 'INTERNAL_SERVER_ERROR', SERVER_FAILED).response()
    }
  }

  async #answer(request: Request, clientAddress: string): Promise<Response> {
    const url = new URL(request.url)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const path = url.pathname.startsWith(`${BASE_PATH}/`) ? url.pathname.slice(BASE_PATH.length) : ''
    const limit = limitOf(method, path, this.#parts.oidc !== undefined)
    if (limit === undefined) throw new Refusal(404, 'NOT_FOUND', 'There is no such route.')
    this.#parts.limits?.request(limit, clientAddress)
    const headers = innerHeaders(request.headers, url.host, clientAddress)
    const acting: Acting = { path, address: clientAddress }
    const session = await this.#parts.sessions.look(headers.get('cookie') ?? '')
    if (session && !SIGNS_IN.test(path)) acting.user = { id: session.user.id, email: session.user.email }
    if (method === 'GET') {
      this.#refuseForeign(session, Object.fromEntries(url.searchParams))
      if (path === '/organization/get-invitation') this.#checkInvitation(session, path, url.searchParams.get('id'))
      if (path === CALLBACK) return this.#parts.oidc!.answer(await this.#parts.pass(url, { headers }, acting), acting)
      return this.#parts.pass(url, { headers }, acting)
    }
    if (isCrossSite(headers)) throw new Refusal(403, 'INVALID_ORIGIN', 'This request is from a page of another site.')
    const given = await readBody(request)
    const body = this.#amended(path, given)
    this.#refuseForeign(session, body?.members)
    if (path === '/update-user') refuseOddProfile(body?.members)
    if (ABOUT_INVITATIONS.has(path)) this.#checkInvitation(session, path, body?.members.invitationId)
    if (limit === 'code') refuseTrustedDevice(body?.members)
    const pass = () => this.#parts.pass(url, { method, headers, body: body?.text }, acting)
    if (limit === 'sign-up') {
      const invitation = headers.get('x-invitation') ?? url.searchParams.get('invitation') ?? body?.members.invitation
      return this.#parts.signUp.admit(body?.members.email, invitation, pass)
    }
    if (path === '/two-factor/verify-totp' && session === undefined) {
      return this.#parts.usedCodes.once(headers.get('cookie') ?? '', body?.members.code, pass)
    }
    return limit === 'sign-in' ? this.#signIn(body?.members.email, clientAddress, pass) : pass()
  }

  /** The body as better-auth gets it. */
  #amended(path: string, given: Body | undefined): Body | undefined {
    if (path === '/change-password') return given && endingOtherSessions(given)
    return BEGINS_BY_PROVIDER.has(path) ? this.#parts.oidc!.beginning(given) : given
  }

  /** better-auth's answers tell an organization of others from one that does not exist; here both are unknown, in the same words. */
  #refuseForeign(session: Session | undefined, named: Record<string, unknown> = {}): void {
    const { organizationId, organizationSlug } = named
    if (session === undefined) return
    const { id: user } = session.user
    const unknown =
      (typeof organizationId === 'string' && this.#parts.memberships.role(user, organizationId) === undefined) ||
      (typeof organizationSlug === 'string' && !this.#parts.memberships.hasSlug(user, organizationSlug))
    if (unknown) throw new Refusal(404, 'ORGANIZATION_NOT_FOUND', 'You belong to no such organization.')
  }

  /** @throws Refusal 400 for an invitation that the one who asks cannot use, or withdraw, any more */
  #checkInvitation(session: Session | undefined, path: string, id: unknown): void {
    if (session === undefined) return
    if (path === WITHDRAWAL) this.#parts.invitations.checkWithdrawal(id, session.user.id)
    else this.#parts.invitations.checkUse(id, session.user.email)
  }

  async #signIn(email: unknown, clientAddress: string, pass: () => Promise<Response>): Promise<Response> {
    const settle = typeof email === 'string' ? this.#parts.limits?.signIn(email, clientAddress) : undefined
    let outcome: 'right' | 'wrong' | 'neither' = 'neither'
    try {
      const response = await pass()
      if (response.ok) outcome = 'right'
      else if (response.status === 401) outcome = 'wrong'
      if (outcome === 'wrong' && typeof email === 'string') await this.#parts.signInFailed(email, clientAddress)
      return response
    } finally {
      settle?.(outcome)
    }
  }
}
