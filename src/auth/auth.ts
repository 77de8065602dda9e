/** Who is asking: accounts, sessions, organizations and members by better-auth, and the organization's API tokens. */
import type { Role } from './access.ts'
import type { Acting } from './acting.ts'
import { inContext } from './async-context.ts'
import { Audit } from './audit.ts'
import { keepAudit } from './audit-triggers.ts'
import type { BetterAuth, startBetterAuth } from './better-auth.ts'
import { type Body, readBody } from './body.ts'
import { type Database, databaseFailure, makeDurable, migrateTables, openDatabase } from './database.ts'
import { Invitations } from './invitations.ts'
import { endingOtherSessions, innerHeaders, refuseOddProfile, refuseTrustedDevice } from './inward.ts'
import { Memberships } from './memberships.ts'
import { BASE_PATH, CALLBACK, INNER_ORIGIN } from './mount.ts'
import { NotedFailures } from './noted-failures.ts'
import { explained, type OidcSettings } from './oidc.ts'
import { OidcSignIn } from './oidc-sign-in.ts'
import { reachableDocument } from './openapi.ts'
import { OwnWrites } from './own-writes.ts'
import { RateLimit } from './rate-limit.ts'
import { inOurForm, markSecure, Refusal, SECOND_FACTOR_UNREADABLE, SERVER_FAILED } from './refusal.ts'
import {
  ABOUT_CODES,
  ABOUT_INVITATIONS,
  BEGINS_BY_PROVIDER,
  limitOf,
  SIGNS_IN,
  USES_PROVIDER,
  WITHDRAWAL,
} from './routes.ts'
import { isCrossSite } from './same-origin.ts'
import { loadSecret } from './secret.ts'
import { type Session, Sessions } from './sessions.ts'
import { SignUp, type SignUpMode } from './sign-up.ts'
import { type AccountsSnapshot, countChanges, snapshotAccounts } from './snapshot.ts'
import { Tokens } from './tokens.ts'
import { UsedCodes } from './used-codes.ts'

export interface AuthOptions {
  dataDir: string
  signUp: SignUpMode
  rateLimit: boolean
  /** Signs the session cookies; absent: the one in DATA_DIR/secret. */
  secret?: string
  /** Milliseconds since 1970, for tokens, invitations at sign-up and rate limits; better-auth's sessions go by the system's clock. */
  now?: () => number
  /** The OpenID provider that people may sign in by. */
  oidc?: OidcSettings
  onOrganizationDeleted?: (id: string) => Promise<void> | void
  log?: AuthLog
}

export interface AuthLog {
  warn(data: object, message: string): void
  error(data: object, message: string): void
}

/**
 * A signed-in user. `organization` is the one their requests are about, null with a `problem`: `no-membership` when they belong to none,
 * `not-a-member` when they are no longer in the one they chose and have to choose another.
 */
export interface SessionState {
  user: { id: string; name: string; email: string }
  organization: { id: string; role: Role } | null
  problem?: 'no-membership' | 'not-a-member'
  /** Set-Cookie values that belong on the answer: now and then a session is extended. */
  setCookies: string[]
}

const SILENT: AuthLog = { warn: () => {}, error: () => {} }

export class Auth {
  readonly tokens: Tokens
  readonly audit: Audit
  readonly #options: AuthOptions
  readonly #secret: string
  readonly #database: Database
  readonly #memberships: Memberships
  readonly #sessions: Sessions
  readonly #invitations: Invitations
  readonly #signUp: SignUp
  readonly #usedCodes: UsedCodes
  readonly #oidc: OidcSignIn | undefined
  readonly #limits: RateLimit | undefined
  readonly #log: AuthLog
  readonly #now: () => number
  readonly #noted = new NotedFailures()
  readonly #ownWrites: OwnWrites
  #changes: (() => number) | undefined
  #betterAuth: Promise<BetterAuth> | undefined

  private constructor(options: AuthOptions, database: Database, secret: string, log: AuthLog) {
    const now = options.now ?? Date.now
    this.#log = log
    this.#now = now
    keepAudit(database, now)
    this.audit = new Audit(database)
    this.#database = database
    this.#ownWrites = new OwnWrites(database)
    this.#memberships = new Memberships(database)
    this.#options = options
    this.#secret = secret
    this.#sessions = new Sessions(database, () => this.#start(), secret)
    this.tokens = new Tokens(database, now)
    this.#invitations = new Invitations(database, this.#memberships, now)
    this.#signUp = new SignUp(options.signUp, this.#memberships, this.#invitations, now)
    this.#oidc = options.oidc && new OidcSignIn(options.oidc, oidc => this.#load(oidc))
    this.#usedCodes = new UsedCodes(database, now)
    this.#limits = options.rateLimit ? new RateLimit(options.now ?? (() => performance.now())) : undefined
  }

  /**
   * Opens DATA_DIR/parlance.sqlite and brings its tables up to date.
   * @throws Failure `unavailable` when the stored secret is damaged, or a newer Parlance has written the tables
   */
  static async open(options: AuthOptions): Promise<Auth> {
    const database = openDatabase(options.dataDir)
    try {
      await migrateTables(database, async () => (await import('./better-auth.ts')).migrate(database))
      makeDurable(database)
      const secret = options.secret ?? loadSecret(options.dataDir)
      return new Auth(options, database, secret, options.log ?? SILENT)
    } catch (error) {
      database.close()
      throw error
    }
  }

  /**
   * Answers a request under /api/auth: better-auth's routes as far as routes.ts lets them be reached, behind the limits, the sign-up rules and the
   * cross-site check. Never throws; every error is `{ error, code, message }`.
   * @param request its URL as the client reached the server (a proxy's word already judged)
   * @param clientAddress the IP address of the client, likewise
   * @param secure whether the client came by https, so that cookies are marked Secure
   */
  async handle(request: Request, clientAddress: string, secure: boolean): Promise<Response> {
    const failures = this.#noted.count
    try {
      const answer = await this.#answer(request, clientAddress)
      if (answer.status >= 400 && this.#noted.count > failures) throw new Error('The accounts could not be written.')
      const response = await inOurForm(answer, secure)
      return request.method === 'HEAD' ? new Response(null, response) : response
    } catch (error) {
      // What the disk refused, better-auth may say in a redirection of its own.
      if (error instanceof Refusal && this.#noted.count === failures) {
        if (error.status >= 500) this.#log.warn({ code: error.code }, error.message)
        return error.response()
      }
      this.#log.error({ err: error }, 'A request under /api/auth failed.')
      const failure = databaseFailure(error) ?? (this.#noted.count > failures ? this.#noted.last : undefined)
      if (failure?.code === 'no-space') return new Refusal(507, 'INSUFFICIENT_STORAGE', failure.message).response()
      if (failure) return new Refusal(503, 'SERVICE_UNAVAILABLE', failure.message).response()
      if (ABOUT_CODES.test(new URL(request.url).pathname.slice(BASE_PATH.length))) {
        return new Refusal(503, 'SECOND_FACTOR_UNREADABLE', SECOND_FACTOR_UNREADABLE).response()
      }
      return new Refusal(500, 'INTERNAL_SERVER_ERROR', SERVER_FAILED).response()
    }
  }

  /**
   * The user of a session cookie and the organization their requests are about, the membership read anew at every call; null without a valid session.
   * @param secure as for `handle`
   */
  async session(headers: Headers, secure = false): Promise<SessionState | null> {
    const cookie = headers.get('cookie')
    if (cookie === null) return null
    const session = await this.#sessions.read(cookie)
    if (session === undefined) return null
    const { user, activeOrganization: chosen } = session
    const state = { user, setCookies: markSecure(session.setCookies, secure) }
    const role = chosen ? this.#memberships.role(user.id, chosen) : undefined
    if (chosen && role) return { ...state, organization: { id: chosen, role } }
    const first = this.#memberships.first(user.id)
    if (first === undefined) return { ...state, organization: null, problem: 'no-membership' }
    return chosen ? { ...state, organization: null, problem: 'not-a-member' } : { ...state, organization: first }
  }

  /** better-auth's own OpenAPI document, `paths` relative to /api/auth, cut down to the routes that can be reached. */
  async openapi(): Promise<Record<string, unknown>> {
    return reachableDocument(await this.#start(), this.#oidc !== undefined)
  }

  /** Whether anybody has an account yet. */
  hasUsers(): boolean {
    return this.#memberships.hasUsers()
  }

  /** Runs a change of tokens, which must be synchronous, outside of every transaction of better-auth's: see {@link OwnWrites.run}. */
  change<T>(write: () => T): Promise<T> {
    return this.#ownWrites.run(write)
  }

  /** See {@link countChanges}. */
  changes(): number {
    this.#changes ??= countChanges(this.#database)
    return this.#changes()
  }

  /** See {@link snapshotAccounts}. */
  snapshot(file: string, known?: string): Promise<AccountsSnapshot> {
    return snapshotAccounts(this.#database, file, known)
  }

  close(): void {
    this.#database.close()
  }

  async #answer(request: Request, clientAddress: string): Promise<Response> {
    const url = new URL(request.url)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const path = url.pathname.startsWith(`${BASE_PATH}/`) ? url.pathname.slice(BASE_PATH.length) : ''
    const limit = limitOf(method, path, this.#oidc !== undefined)
    if (limit === undefined) throw new Refusal(404, 'NOT_FOUND', 'There is no such route.')
    this.#limits?.request(limit, clientAddress)
    const headers = innerHeaders(request.headers, url.host, clientAddress)
    const acting: Acting = { path, address: clientAddress }
    const session = await this.#sessions.look(headers.get('cookie') ?? '')
    if (session && !SIGNS_IN.test(path)) acting.user = { id: session.user.id, email: session.user.email }
    if (method === 'GET') {
      this.#refuseForeign(session, Object.fromEntries(url.searchParams))
      if (path === '/organization/get-invitation') this.#checkInvitation(session, path, url.searchParams.get('id'))
      if (path === CALLBACK) return this.#oidc!.answer(await this.#pass(url, { headers }, acting), acting)
      return this.#pass(url, { headers }, acting)
    }
    if (isCrossSite(headers)) throw new Refusal(403, 'INVALID_ORIGIN', 'This request is from a page of another site.')
    const given = await readBody(request)
    const body = this.#amended(path, given)
    this.#refuseForeign(session, body?.members)
    if (path === '/update-user') refuseOddProfile(body?.members)
    if (ABOUT_INVITATIONS.has(path)) this.#checkInvitation(session, path, body?.members.invitationId)
    if (limit === 'code') refuseTrustedDevice(body?.members)
    const pass = () => this.#pass(url, { method, headers, body: body?.text }, acting)
    if (limit === 'sign-up') {
      const invitation = headers.get('x-invitation') ?? url.searchParams.get('invitation') ?? body?.members.invitation
      return this.#signUp.admit(body?.members.email, invitation, pass)
    }
    if (path === '/two-factor/verify-totp' && session === undefined) {
      return this.#usedCodes.once(headers.get('cookie') ?? '', body?.members.code, pass)
    }
    return limit === 'sign-in' ? this.#signIn(body?.members.email, clientAddress, pass) : pass()
  }

  /** The body as better-auth gets it. */
  #amended(path: string, given: Body | undefined): Body | undefined {
    if (path === '/change-password') return given && endingOtherSessions(given)
    return BEGINS_BY_PROVIDER.has(path) ? this.#oidc!.beginning(given) : given
  }

  /** better-auth's answers tell an organization of others from one that does not exist; here both are unknown, in the same words. */
  #refuseForeign(session: Session | undefined, named: Record<string, unknown> = {}): void {
    const { organizationId, organizationSlug } = named
    if (session === undefined) return
    const { id: user } = session.user
    const unknown =
      (typeof organizationId === 'string' && this.#memberships.role(user, organizationId) === undefined) ||
      (typeof organizationSlug === 'string' && !this.#memberships.hasSlug(user, organizationSlug))
    if (unknown) throw new Refusal(404, 'ORGANIZATION_NOT_FOUND', 'You belong to no such organization.')
  }

  /** @throws Refusal 400 for an invitation that the one who asks cannot use, or withdraw, any more */
  #checkInvitation(session: Session | undefined, path: string, id: unknown): void {
    if (session === undefined) return
    if (path === WITHDRAWAL) this.#invitations.checkWithdrawal(id, session.user.id)
    else this.#invitations.checkUse(id, session.user.email)
  }

  async #signIn(email: unknown, clientAddress: string, pass: () => Promise<Response>): Promise<Response> {
    const settle = typeof email === 'string' ? this.#limits?.signIn(email, clientAddress) : undefined
    let outcome: 'right' | 'wrong' | 'neither' = 'neither'
    try {
      const response = await pass()
      if (response.ok) outcome = 'right'
      else if (response.status === 401) outcome = 'wrong'
      if (outcome === 'wrong' && typeof email === 'string') await this.#noteFailure(email, clientAddress)
      return response
    } finally {
      settle?.(outcome)
    }
  }

  /** A sign-in that failed is refused whether or not it can be noted. */
  async #noteFailure(email: string, clientAddress: string): Promise<void> {
    try {
      await this.#ownWrites.run(() => this.audit.signInFailed(email, clientAddress, this.#now()))
    } catch (error) {
      this.#log.warn({ err: error }, 'A failed sign-in could not be noted in the audit trail.')
    }
  }

  /** The organization is gone from the tables by now, which nothing undoes: what fails here is told to the operator and not to the user. */
  async #putAway(organization: string, onDeleted: AuthOptions['onOrganizationDeleted']): Promise<void> {
    this.tokens.forget()
    try {
      await onDeleted?.(organization)
    } catch (error) {
      this.#log.error(
        { err: error, organization },
        'An organization was deleted, but what it owned could not be put away.',
      )
    }
  }

  async #pass(url: URL, init: RequestInit, acting: Acting): Promise<Response> {
    await this.#ownWrites.through()
    const { handler } = await (USES_PROVIDER.has(acting.path) ? this.#oidc!.betterAuth() : this.#start())
    return inContext(() => handler(new Request(`${INNER_ORIGIN}${url.pathname}${url.search}`, init)), acting)
  }

  /**
   * better-auth, loaded when it is first needed: it takes as long to start and as much memory as all the rest of the server, and
   * requests with API tokens or with sessions that are well need nothing of it.
   */
  #start(): Promise<BetterAuth> {
    this.#betterAuth ??= this.#load()
    return this.#betterAuth
  }

  async #load(oidc?: Parameters<typeof startBetterAuth>[0]['oidc']): Promise<BetterAuth> {
    const { startBetterAuth } = await import('./better-auth.ts')
    return startBetterAuth({
      database: this.#noted.watch(this.#database),
      secret: this.#secret,
      memberships: this.#memberships,
      onOrganizationDeleted: id => this.#putAway(id, this.#options.onOrganizationDeleted),
      warn: message => this.#log.warn({}, `better-auth: ${message}`),
      admitByProvider: email => explained(async () => this.#signUp.admitVerified(email)),
      ...(oidc && { oidc }),
    })
  }
}
