/** Who is asking: accounts, sessions, organizations and members by better-auth, and the organization's API tokens. */
import { Background, type Task } from '../background.ts'
import { Failure } from '../bundle/errors.ts'
import type { Caller, Permission, Role } from './access.ts'
import { type Acting, actAs } from './acting.ts'
import { Audit } from './audit.ts'
import { keepAudit } from './audit-triggers.ts'
import type { BetterAuth, startBetterAuth } from './better-auth.ts'
import { type Database, databaseFailure, makeDurable, migrateTables, openDatabase } from './database.ts'
import { Invitations } from './invitations.ts'
import { Memberships } from './memberships.ts'
import { INNER_ORIGIN } from './mount.ts'
import { NotedFailures } from './noted-failures.ts'
import { explained } from './oidc.ts'
import { OidcSignIn } from './oidc-sign-in.ts'
import { type AuthLog, type AuthOptions, SILENT } from './options.ts'
import { RateLimit } from './rate-limit.ts'
import { Recheck } from './recheck.ts'
import { markSecure } from './refusal.ts'
import { AuthRequests } from './requests.ts'
import { loadSecret } from './secret.ts'
import { Sessions } from './sessions.ts'
import { SignUp } from './sign-up.ts'
import { Slots } from './slots.ts'
import { type AccountsSnapshot, countChanges, snapshotAccounts } from './snapshot.ts'
import { Tokens } from './tokens.ts'
import { UsedCodes } from './used-codes.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** Everybody has the connection for a few statements; who waits for longer than this waits for something broken. */
const LONGEST_WAIT = 10_000

export type { AuthOptions } from './options.ts'

/**
 * A signed-in user. `organization` is the one their requests are about, null with a `problem`: `no-membership` when they belong to none,
 * `not-a-member` when they are no longer in the one they chose and have to choose another.
 */
export interface SessionState {
  /** The session's id, which lets nobody in. */
  id: string
  user: { id: string; name: string; email: string }
  organization: { id: string; role: Role } | null
  problem?: 'no-membership' | 'not-a-member'
  /** Set-Cookie values that belong on the answer: now and then a session is extended. */
  setCookies: string[]
}

/** See the top of the file. One for each data folder: {@link Auth.open}. */
export class Auth {
  readonly tokens: Tokens
  readonly audit: Audit
  readonly #options: AuthOptions
  readonly #secret: string
  readonly #database: Database
  readonly #memberships: Memberships
  readonly #recheck: Recheck
  readonly #sessions: Sessions
  readonly #signUp: SignUp
  readonly #requests: AuthRequests
  readonly #oidc: OidcSignIn | undefined
  readonly #log: AuthLog
  readonly #now: () => number
  readonly #noted = new NotedFailures()
  /**
   * The one connection to SQLite is used by one at a time: a transaction of better-auth's lasts over several awaits, and whatever else is
   * written on the connection meanwhile would belong to it, and be lost with it, a revoked token included.
   */
  readonly #connection = new Slots(1)
  /** Revocations that the disk did not take, by the tokens' ids. */
  readonly #unwritten = new Map<string, { organization: string; acting: Acting }>()
  readonly #revoking: Task
  readonly #forgetting: Task
  #changes: (() => number) | undefined
  #betterAuth: Promise<BetterAuth> | undefined

  private constructor(options: AuthOptions, database: Database, secret: string, log: AuthLog) {
    const now = options.now ?? Date.now
    this.#log = log
    this.#now = now
    keepAudit(database, now)
    this.audit = new Audit(database)
    this.#database = database
    this.#memberships = new Memberships(database)
    this.#options = options
    this.#secret = secret
    this.#sessions = new Sessions(database, () => this.#start(), secret)
    this.tokens = new Tokens(database, now)
    this.#recheck = new Recheck(database, this.tokens)
    const background = options.background ?? new Background({ info: () => {}, ...log })
    this.#revoking = background.task({ name: 'revoking tokens', run: () => this.#revokeUnwritten() })
    this.#forgetting = background.task({
      name: 'forgetting old entries of the audit trail',
      every: DAY,
      run: async () => {
        while (await this.change(() => this.audit.forgetOld(now())));
      },
    })
    this.#forgetting.in(MINUTE)
    const invitations = new Invitations(database, this.#memberships, now)
    this.#signUp = new SignUp(options.signUp, this.#memberships, invitations, now)
    this.#oidc = options.oidc && new OidcSignIn(options.oidc, oidc => this.#load(oidc))
    this.#requests = new AuthRequests({
      sessions: this.#sessions,
      memberships: this.#memberships,
      invitations,
      signUp: this.#signUp,
      usedCodes: new UsedCodes(database),
      oidc: this.#oidc,
      limits: options.rateLimit ? new RateLimit(options.now ?? (() => performance.now())) : undefined,
      noted: this.#noted,
      log,
      baseUrl: options.baseUrl?.replace(/\/$/, ''),
      pass: (url, init, acting, byProvider) => this.#pass(url, init, acting, byProvider),
      hash: (password, acting) => this.#hash(password, acting),
      putAway: organization => this.#putAway(organization),
      settle: organization => this.settle(organization),
      signInFailed: (email, clientAddress) => this.#noteFailure(email, clientAddress),
    })
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
  handle(request: Request, clientAddress: string, secure: boolean): Promise<Response> {
    return this.#requests.handle(request, clientAddress, secure)
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
    const { id, user, activeOrganization: chosen } = session
    const state = { id, user, setCookies: markSecure(session.setCookies, secure) }
    const role = chosen ? this.#memberships.role(user.id, chosen) : undefined
    if (chosen && role) return { ...state, organization: { id: chosen, role } }
    const first = this.#memberships.first(user.id)
    if (first === undefined) return { ...state, organization: null, problem: 'no-membership' }
    return chosen ? { ...state, organization: null, problem: 'not-a-member' } : { ...state, organization: first }
  }

  /**
   * To be called within a write, before it changes anything: see {@link Recheck.ask}. Whoever takes a right away waits for the
   * organization's writes before answering, so that no write is acknowledged after the loss of the right was.
   */
  recheck(caller: Caller, permission: Permission): void {
    this.#recheck.ask(caller, permission)
  }

  /** Whether anybody has an account yet. */
  hasUsers(): boolean {
    return this.#memberships.hasUsers()
  }

  /**
   * Runs a write of our own, which must be synchronous, outside of every transaction of better-auth's and before all that wait: it is on the
   * disk when this resolves.
   * @throws Failure `unavailable` when its turn does not come
   */
  change<T>(write: () => T): Promise<T> {
    return this.#connection.run(write, 'first', LONGEST_WAIT)
  }

  /**
   * Revokes a token of the caller's organization: worth nothing from the call on, even when the disk does not take it.
   * @returns false when the organization has none of this id
   * @throws Failure as {@link recheck} does; `no-space` or `unavailable` when the disk does not take it, which is then tried again
   */
  async revoke(caller: Caller, id: string, acting: Acting): Promise<boolean> {
    const { organization } = caller
    this.recheck(caller, 'manage-tokens')
    if (!this.tokens.end(organization, id)) return false
    try {
      if (!(await this.change(() => this.tokens.revoke(organization, id, acting)))) return false
    } catch (error) {
      const failure = error instanceof Failure ? error : databaseFailure(error)
      if (failure === undefined) throw error
      this.#unwritten.set(id, { organization, acting })
      this.#revoking.in(0)
      const words = `${failure.message} The token is off already, and leaves the list when the server can write again.`
      throw new Failure(failure.code, words, failure.data)
    }
    await this.settle(organization)
    return true
  }

  /** To be awaited between the loss of a right and its acknowledgement: what was written by it is acknowledged first. */
  async settle(organization: string): Promise<void> {
    await this.#options.settle?.(organization)
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
    this.#revoking.cancel(true)
    this.#forgetting.cancel(true)
    this.#database.close()
  }

  async #revokeUnwritten(): Promise<void> {
    for (const [id, { organization, acting }] of this.#unwritten) {
      await this.change(() => this.tokens.revoke(organization, id, acting))
      this.#unwritten.delete(id)
    }
  }

  /** A sign-in that failed is refused whether or not it can be noted. */
  async #noteFailure(email: string, clientAddress: string): Promise<void> {
    try {
      await this.change(() => this.audit.signInFailed(email, clientAddress, this.#now()))
    } catch (error) {
      this.#log.warn({ err: error }, 'A failed sign-in could not be noted in the audit trail.')
    }
  }

  /** The organization is gone from the tables by now, which nothing undoes: what fails here is told to the operator and not to the user. */
  async #putAway(organization: string): Promise<void> {
    this.tokens.forget()
    try {
      await this.#options.onOrganizationDeleted?.(organization)
    } catch (error) {
      this.#log.error(
        { err: error, organization },
        'An organization was deleted, but what it owned could not be put away.',
      )
    }
  }

  async #hash(password: string, acting: Acting): Promise<string> {
    const context = await (await this.#start()).$context
    return actAs(acting, () => context.password.hash(password))
  }

  async #pass(url: URL, init: RequestInit, acting: Acting, byProvider: boolean): Promise<Response> {
    const { handler } = await (byProvider ? this.#oidc!.betterAuth() : this.#start())
    return actAs(acting, () => handler(new Request(`${INNER_ORIGIN}${url.pathname}${url.search}`, init)))
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
      connection: this.#connection,
      warn: message => this.#log.warn({}, `better-auth: ${message}`),
      admitByProvider: email => explained(async () => this.#signUp.admitVerified(email)),
      ...(oidc && { oidc }),
    })
  }
}
