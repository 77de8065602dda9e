/**
 * Requests under /api/auth: allow-list, limits, session and our rules before better-auth; its answer, or a failure, in
 * Parlance's form.
 */
import type { Failure } from '../bundle/errors.ts'
import { type Actor, actAs } from './actor.ts'
import type { BetterAuth } from './better-auth.ts'
import { holdsHostCookie, innerCookies, readCookies } from './cookies.ts'
import { databaseFailure } from './database.ts'
import { deleteOldInvitations } from './delete-expired.ts'
import type { Engine } from './engine.ts'
import type { Memberships } from './memberships.ts'
import { BASE_PATH, CALLBACK, INNER_ORIGIN } from './mount.ts'
import type { OidcSignIn } from './oidc-sign-in.ts'
import type { AuthLog, AuthOptions } from './options.ts'
import { RateLimit } from './rate-limit.ts'
import {
  inOurForm,
  Refusal,
  SECOND_FACTOR_UNREADABLE,
  SERVER_FAILED,
  secondFactorOn,
  withBody,
  withUrl,
} from './refusal.ts'
import { refuseManyMembers } from './refuse-many-members.ts'
import { parseRights, projectsOf } from './rights.ts'
import { type AuthRoute, routeOf } from './routes.ts'
import { innerHeaders, isCrossSite } from './same-origin.ts'
import type { Session, Sessions } from './sessions.ts'
import type { SignUpPolicy } from './sign-up-policy.ts'
import type { Tokens } from './tokens.ts'
import { useOnce } from './used-codes.ts'
import { type JsonBody, readBody, validateBody, validateQuery } from './validate-request.ts'

const SIGN_UP = '/sign-up/email'
const INVITES = '/organization/invite-member'
const FULL = '/organization/get-full-organization'
const DELETION = '/organization/delete'
const WITHDRAWAL = '/organization/cancel-invitation'
const WAITING = '/organization/list-user-invitations'
const BY_CODE = '/two-factor/verify-totp'
const ENDS_OTHERS = '/revoke-other-sessions'
/** These may start another session. The audit trail then names its user. */
const SIGNS_IN = /^\/(sign-in|sign-up|callback)\//
/** For an invitation's address opened in a browser. */
const BY_POST =
  'Send a POST with name, email and password here to create your account; the invitation is in the address.'

interface Act {
  route: AuthRoute
  url: URL
  init: RequestInit & { headers: Headers }
  actor: Actor
  session: Session | undefined
  body: JsonBody | undefined
  /** Checks again, while no other account can be created, whether this one may be. @throws Refusal */
  check?: () => void
}

interface RequestParts {
  options: AuthOptions
  engine: Engine
  sessions: Sessions
  memberships: Memberships
  admission: SignUpPolicy
  tokens: Tokens
  betterAuth: () => Promise<BetterAuth>
  /** Undefined without a provider. */
  oidc: OidcSignIn | undefined
  log: AuthLog
  signInFailed: (email: string, clientAddress: string) => Promise<void>
}

export class AuthRequests {
  readonly #parts: RequestParts
  readonly #limits: RateLimit | undefined
  /** Organizations that this process is asked to delete. */
  readonly #deleting = new Set<unknown>()

  constructor(parts: RequestParts) {
    const { options } = parts
    this.#parts = parts
    this.#limits = options.rateLimit ? new RateLimit(options.now ?? (() => performance.now())) : undefined
  }

  /** See {@link Auth.handle}. */
  handle(request: Request, clientAddress: string, secure: boolean, isHttps: boolean): Promise<Response> {
    const forHost = secure || holdsHostCookie(request.headers.get('cookie') ?? '')
    const actor: Actor = { path: '', address: clientAddress }
    const failed = (error: unknown) => this.#failed(error, new URL(request.url), actor.failure)
    const answered = async () => {
      const answer = await this.#answer(request, actor, isHttps)
      if (answer.status >= 400 && actor.failure) throw new Error('The accounts could not be written.')
      const response = await inOurForm(answer, forHost)
      return request.method === 'HEAD' ? new Response(null, response) : response
    }
    return actAs(actor, async () => {
      const response = await answered().catch(failed)
      // What was refused may have been noted.
      return this.#parts.engine.untilReplicated().then(() => response, failed)
    })
  }

  /** @param noted SQLite's error under better-auth, which may have turned it into a redirection */
  #failed(error: unknown, { pathname }: URL, noted: Failure | undefined): Response {
    const { log } = this.#parts
    if (error instanceof Refusal && noted === undefined) {
      if (error.status >= 500) log.warn({ code: error.code }, error.message)
      return error.response()
    }
    log.error({ err: error }, 'A request under /api/auth failed.')
    const failure = databaseFailure(error) ?? noted
    if (failure?.code === 'no-space') return new Refusal(507, 'INSUFFICIENT_STORAGE', failure.message).response()
    if (failure) return new Refusal(503, 'SERVICE_UNAVAILABLE', failure.message).response()
    if (pathname.startsWith(`${BASE_PATH}/two-factor/`)) {
      return new Refusal(503, 'SECOND_FACTOR_UNREADABLE', SECOND_FACTOR_UNREADABLE).response()
    }
    return new Refusal(500, 'INTERNAL_SERVER_ERROR', SERVER_FAILED).response()
  }

  async #answer(request: Request, actor: Actor, isHttps: boolean): Promise<Response> {
    const url = new URL(request.url)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const path = url.pathname.startsWith(`${BASE_PATH}/`) ? url.pathname.slice(BASE_PATH.length) : ''
    const route = routeOf(method, path, this.#parts.oidc !== undefined)
    if (route === undefined) return this.#byOtherMethod(method, path)
    const { limit } = route
    const { address: clientAddress = '' } = actor
    this.#limits?.request(limit, clientAddress)
    const headers = innerHeaders(request.headers, url.host, clientAddress)
    const sent = headers.get('cookie') ?? ''
    const cookies = readCookies(sent)
    if ('fault' in cookies) throw new Refusal(400, 'INVALID_COOKIE', cookies.fault)
    const cookie = innerCookies(sent, isHttps)
    if (headers.has('cookie')) headers.set('cookie', cookie)
    const session = await this.#parts.sessions.look(cookie)
    actor.path = path
    if (session && !SIGNS_IN.test(path)) actor.user = { id: session.user.id, email: session.user.email }
    if (path !== CALLBACK) url.search = method === 'GET' ? String(validateQuery(route.query, url.searchParams)) : ''
    if (method === 'GET') {
      this.#refuseForeign(session, Object.fromEntries(url.searchParams))
      if (path === '/organization/get-invitation') this.#checkInvitation(session, path, url.searchParams.get('id'))
      if (path === '/organization/list-invitations') this.#refuseMember(session, url.searchParams)
      refuseManyMembers(this.#parts.memberships, session, path, url.searchParams)
      if (path === WAITING && session) return Response.json(this.#parts.admission.waitingFor(session.user))
      const answer = await this.#pass(url, { headers }, route)
      if (path === CALLBACK) return this.#parts.oidc!.answer(answer, actor)
      return path === FULL && answer.ok ? withBody(answer, full => this.#withoutInvitations(session, full)) : answer
    }
    if (isCrossSite(headers)) throw new Refusal(403, 'INVALID_ORIGIN', 'This request is from a page of another site.')
    const given = await readBody(request)
    const body = limit === 'oidc' ? this.#parts.oidc!.beginning(given) : validateBody(path, route.body, given)
    this.#refuseForeign(session, body)
    if (route.body?.invitationId) this.#checkInvitation(session, path, body?.invitationId)
    if (path === INVITES) await this.#refuseMissingProjects(session, body)
    const init = { method, headers, body: body && JSON.stringify(body) }
    const act: Act = { route, url, init, actor, session, body }
    const pass = () => this.#act(act)
    if (path === DELETION) return this.#deletes(body?.organizationId, pass)
    if (limit === 'sign-up') {
      const invitation =
        headers.get('x-invitation') ?? new URL(request.url).searchParams.get('invitation') ?? given?.invitation
      act.check = () => this.#parts.admission.checkSignUp(body?.email, invitation)
      act.check()
      const password = String(body?.password)
      const { password: hashing } = await (await this.#parts.betterAuth()).$context
      actor.hashed = { password, hash: await hashing.hash(password) }
      return pass()
    }
    return limit === 'sign-in' ? this.#signIn(String(body?.email), clientAddress, pass) : pass()
  }

  /** @throws Refusal 404, 405 */
  #byOtherMethod(method: string, path: string): Response {
    const [taken] = ['GET', 'POST'].filter(other => routeOf(other, path, this.#parts.oidc !== undefined))
    if (taken === undefined) throw new Refusal(404, 'NOT_FOUND', 'There is no such route.')
    const allow = taken === 'GET' ? 'GET, HEAD' : 'POST'
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
    const sentence = method === 'GET' && path === SIGN_UP ? BY_POST : `This path accepts ${allow}, not ${method}.`
    throw new Refusal(405, 'METHOD_NOT_ALLOWED', sentence, { allow })
  }

  /** Runs the act by better-auth. When it resolves, no further write with a revoked right succeeds. */
  async #act({ route, url, init, actor, session, body, check }: Act): Promise<Response> {
    const { path } = actor
    const { engine, options, memberships } = this.#parts
    const settle = (organization: string) => options.settle?.(organization)
    const ask = async () => {
      check?.()
      if (path === ENDS_OTHERS && session && (await this.#parts.sessions.endOthers(session)))
        return Response.json({ status: true })
      const pass = () => this.#pass(url, init, route)
      if (path !== BY_CODE || session) return pass()
      return useOnce(await this.#parts.betterAuth(), init.headers.get('cookie') ?? '', body?.code, pass)
    }
    const alone = route.byRight ? 'an act by right' : check && !memberships.hasUsers() ? 'the first user' : undefined
    let answer = await engine.act(ask, { exclusive: alone, isDone: ({ ok }) => ok })
    await engine.untilReplicated()
    if (answer.ok && session && path === BY_CODE) answer = await secondFactorOn(answer)
    if (answer.ok && path === INVITES) {
      const organization = String(body?.organizationId ?? session?.activeOrganization)
      await deleteOldInvitations(engine, organization, Date.now())
      answer = await withUrl(answer, options.baseUrl?.replace(/\/$/, '') ?? '')
      // better-auth's own hook runs in the transaction, which may still fail.
      if (options.onInvited) {
        const { id, email } = (await answer.clone().json()) as { id: string; email: string }
        const { name } = memberships.named(organization) ?? { name: organization }
        options.onInvited({ id, email, organization: name, by: session?.user.name ?? name })
      }
    }
    if (actor.deleted !== undefined) await this.#putAway(actor.deleted, false)
    if (!answer.ok || session === undefined) return answer
    if (route.ends === 'sessions') {
      await Promise.all([
        engine.act(async () => {}, { exclusive: 'an act by right' }),
        ...memberships.organizations(session.user.id).map(settle),
      ])
    } else if (route.ends === 'membership') {
      const { organizationId = session.activeOrganization } = body ?? {}
      await settle(String(organizationId))
    }
    return answer
  }

  async #deletes(organization: unknown, act: () => Promise<Response>): Promise<Response> {
    this.#deleting.add(organization)
    try {
      return await act()
    } finally {
      this.#deleting.delete(organization)
    }
  }

  /** Of an organization that another node may have deleted. */
  async gone(organization: string): Promise<void> {
    if (!this.#deleting.has(organization)) await this.#putAway(organization, true)
  }

  /** The organization is gone for good: failures are for the operator. */
  async #putAway(organization: string, elsewhere: boolean): Promise<void> {
    const { tokens, options, log } = this.#parts
    tokens.forget()
    try {
      await options.onOrganizationDeleted?.(organization, elsewhere)
    } catch (error) {
      log.error({ err: error, organization }, 'An organization was deleted, but what it owned could not be put away.')
    }
  }

  /** Asks better-auth, with the OpenID provider where needed. */
  async #pass(url: URL, init: RequestInit, { limit }: AuthRoute): Promise<Response> {
    const { handler } = await (limit === 'oidc' ? this.#parts.oidc!.betterAuth() : this.#parts.betterAuth())
    return handler(new Request(`${INNER_ORIGIN}${url.pathname}${url.search}`, init))
  }

  /** An invitation for a mistyped project would give access to nothing. @throws Refusal 400 */
  async #refuseMissingProjects(session: Session | undefined, body: JsonBody = {}): Promise<void> {
    const { organizationId = session?.activeOrganization, rights } = body
    if (!organizationId || typeof rights !== 'string') return
    const slugs = projectsOf(parseRights(rights)!)
    const fault = await this.#parts.options.projectsFault?.(String(organizationId), slugs)
    if (fault !== undefined) throw new Refusal(400, 'VALIDATION_ERROR', fault)
  }

  /** Refuses others' organizations in the words for unknown ones; better-auth distinguishes them. */
  #refuseForeign(session: Session | undefined, named: Record<string, unknown> = {}): void {
    const { organizationId, organizationSlug } = named
    if (session === undefined) return
    const { id: user } = session.user
    const unknown =
      (typeof organizationId === 'string' && this.#parts.memberships.role(user, organizationId) === undefined) ||
      (typeof organizationSlug === 'string' && !this.#parts.memberships.hasSlug(user, organizationSlug))
    if (unknown) throw new Refusal(404, 'ORGANIZATION_NOT_FOUND', 'You belong to no such organization.')
  }

  /** @throws Refusal 400 for an invitation that the caller can no longer use or withdraw */
  #checkInvitation(session: Session | undefined, path: string, id: unknown): void {
    if (session === undefined) return
    if (path === WITHDRAWAL) this.#parts.admission.checkWithdrawal(id, session.user.id)
    else this.#parts.admission.checkUse(id, session.user.email)
  }

  /** Hides invitations from plain members: one could sign up with an admin's address. @throws Refusal 403 */
  #refuseMember(session: Session | undefined, query: URLSearchParams): void {
    if (!this.#isMember(session, query.get('organizationId') || session?.activeOrganization)) return
    throw new Refusal(403, 'FORBIDDEN', 'Only owners and admins see the invitations of an organization.')
  }

  #withoutInvitations(session: Session | undefined, full: Record<string, unknown>) {
    return this.#isMember(session, full.id) ? { ...full, invitations: [] } : full
  }

  #isMember(session: Session | undefined, organization: unknown): boolean {
    return session !== undefined && this.#parts.memberships.role(session.user.id, String(organization)) === 'member'
  }

  async #signIn(email: string, clientAddress: string, pass: () => Promise<Response>): Promise<Response> {
    const settle = this.#limits?.signIn(email, clientAddress)
    let outcome: 'right' | 'wrong' | 'neither' = 'neither'
    try {
      const response = await pass()
      if (response.ok) outcome = 'right'
      else if (response.status === 401) outcome = 'wrong'
      if (outcome === 'wrong') {
        // Refused even if it cannot be noted.
        await this.#parts
          .signInFailed(email, clientAddress)
          .catch(err => this.#parts.log.warn({ err }, 'A failed sign-in could not be noted in the audit trail.'))
      }
      return response
    } finally {
      settle?.(outcome)
    }
  }
}
