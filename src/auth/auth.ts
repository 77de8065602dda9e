/** Accounts, sessions, organizations and members by better-auth, and API tokens. */
import { Background, type Task } from '../background.ts'
import { Failure } from '../bundle/errors.ts'
import { type Caller, notAMember, type Permission, permit, type Role, signInFirst, unknownToken } from './access.ts'
import type { Acting } from './acting.ts'
import { Admission } from './admission.ts'
import { Audit } from './audit.ts'
import { keepAudit } from './audit-triggers.ts'
import type { BetterAuth, startBetterAuth } from './better-auth.ts'
import { type Database, databaseFailure, makeDurable, migrateTables, openDatabase } from './database.ts'
import { Memberships } from './memberships.ts'
import { explained } from './oidc.ts'
import { OidcSignIn } from './oidc-sign-in.ts'
import { type AuthLog, type AuthOptions, SILENT } from './options.ts'
import { markSecure } from './refusal.ts'
import { AuthRequests } from './requests.ts'
import { loadSecret } from './secret.ts'
import { Sessions } from './sessions.ts'
import { Slots } from './slots.ts'
import { type AccountsSnapshot, countChanges, snapshotAccounts } from './snapshot.ts'
import { Tokens } from './tokens.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
/** Each holds the connection for a few statements: a longer wait means a fault. */
const LONGEST_WAIT = 10_000

export type { AuthOptions } from './options.ts'

/**
 * A signed-in user. `organization` is null with a `problem`: `no-membership` when they belong to none, `not-a-member`
 * when they left the chosen one.
 */
export interface SessionState {
  /** It lets nobody in. */
  id: string
  user: { id: string; name: string; email: string }
  organization: { id: string; role: Role } | null
  problem?: 'no-membership' | 'not-a-member'
  /** Set-Cookie values for the answer, when the session was extended. */
  setCookies: string[]
}

/** See the top of the file. One per data folder: {@link Auth.open}. */
export class Auth {
  readonly tokens: Tokens
  readonly audit: Audit
  readonly #options: AuthOptions
  readonly #secret: string
  readonly #database: Database
  readonly #memberships: Memberships
  readonly #sessions: Sessions
  readonly #admission: Admission
  readonly #requests: AuthRequests
  readonly #log: AuthLog
  /**
   * The one connection to SQLite serves one at a time. better-auth's transactions span several awaits: another write
   * meanwhile would be part of one, and lost with it, even a revocation.
   */
  readonly #connection = new Slots(1)
  /** Revocations not yet on the disk, by token id. */
  readonly #unwritten = new Map<string, { organization: string; acting: Acting }>()
  readonly #revoking: Task
  readonly #forgetting: Task
  #changes: (() => number) | undefined
  #betterAuth: Promise<BetterAuth> | undefined

  private constructor(options: AuthOptions, database: Database, secret: string, log: AuthLog) {
    const now = options.now ?? Date.now
    this.#log = log
    keepAudit(database, now)
    this.audit = new Audit(database)
    this.#database = database
    this.#memberships = new Memberships(database)
    this.#options = options
    this.#secret = secret
    const betterAuth = () => this.#start()
    this.#sessions = new Sessions(database, betterAuth, secret)
    this.tokens = new Tokens(database, now)
    const background = options.background ?? new Background({ info: () => {}, ...log })
    this.#revoking = background.task({ name: 'revoking tokens', run: () => this.#revokeUnwritten() })
    this.#forgetting = background.task({
      name: 'forgetting old entries of the audit trail',
      every: HOUR,
      run: async () => {
        while (await this.change(() => this.audit.forgetOld()));
      },
    })
    this.#forgetting.in(MINUTE)
    this.#admission = new Admission(options.signUp, database, this.#memberships, now)
    this.#requests = new AuthRequests({
      options,
      database,
      sessions: this.#sessions,
      memberships: this.#memberships,
      admission: this.#admission,
      tokens: this.tokens,
      betterAuth,
      oidc: options.oidc && new OidcSignIn(options.oidc, oidc => this.#load(oidc)),
      log,
      signInFailed: (email, address) => this.change(() => this.audit.signInFailed(email, address, now())),
    })
  }

  /**
   * Opens DATA_DIR/parlance.sqlite and updates its tables.
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
   * Answers a request under /api/auth, if routes.ts and the rules of requests.ts allow it. Never throws; every error is
   * `{ error, code, message }`.
   * @param request its URL as the client reached the server, trusted proxies considered
   * @param clientAddress the client's IP address, likewise
   * @param secure whether the client came by https, so that cookies are marked Secure
   */
  handle(request: Request, clientAddress: string, secure: boolean): Promise<Response> {
    return this.#requests.handle(request, clientAddress, secure)
  }

  /**
   * The user of a session cookie and the organization of their requests, whose membership is read anew each time; null
   * without a valid session.
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
   * Checks a right at the moment of a write, however long its body took. Synchronous, so that nothing comes between it
   * and the write. Whoever takes a right away waits for the writes under way before answering.
   * @param caller as `identify` knew it when the request began
   * @returns the caller as they are now
   * @throws Failure `unauthenticated` when the token or session is over; `forbidden` when the user is no longer a
   * member, or role or scope no longer suffices
   */
  recheck(caller: Caller, permission: Permission): Caller {
    if (caller.kind === 'token') {
      const present = this.tokens.present(caller.id)
      if (present?.organization !== caller.organization) throw unknownToken()
      permit(present, permission)
      return present
    }
    if (!this.#sessions.goesOn(caller.session ?? '', caller.id)) throw signInFirst()
    const role = this.#memberships.role(caller.id, caller.organization)
    if (role === undefined) throw notAMember()
    const present = { ...caller, role }
    permit(present, permission)
    return present
  }

  /** What an organization is called, undefined when it is gone. */
  named(organization: string): { slug: string; name: string } | undefined {
    return this.#memberships.named(organization)
  }

  /** Whether anybody has an account yet. */
  hasUsers(): boolean {
    return this.#memberships.hasUsers()
  }

  /**
   * Runs a synchronous write of our own between better-auth's transactions, before all that wait. It is on the disk
   * when this resolves.
   * @throws Failure `unavailable` when its turn does not come
   */
  change<T>(write: () => T): Promise<T> {
    return this.#connection.run(write, 'first', LONGEST_WAIT)
  }

  /**
   * Revokes a token of the caller's organization, at once in memory even when the disk does not take it.
   * @returns false when the organization has none of this id
   * @throws Failure as {@link recheck} does; `no-space` or `unavailable` when the disk does not take it yet
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
    await this.#options.settle?.(organization)
    return true
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

  /**
   * better-auth, loaded on first need: it takes as long to start and as much memory as all the rest, and API tokens and
   * good sessions do without.
   */
  #start(): Promise<BetterAuth> {
    this.#betterAuth ??= this.#load()
    return this.#betterAuth
  }

  async #load(oidc?: Parameters<typeof startBetterAuth>[0]['oidc']): Promise<BetterAuth> {
    const { startBetterAuth } = await import('./better-auth.ts')
    return startBetterAuth({
      database: this.#database,
      note: error => this.#requests.note(error),
      secret: this.#secret,
      memberships: this.#memberships,
      connection: this.#connection,
      warn: message => this.#log.warn({}, `better-auth: ${message}`),
      admitByProvider: email => explained(async () => this.#admission.admitVerified(email)),
      ...(oidc && { oidc }),
    })
  }
}
