/** Accounts, sessions, organizations and members by better-auth, and API tokens. */
import { Failure } from '../bundle/errors.ts'
import { Background, type BackgroundTask } from '../scheduling/background.ts'
import { type Caller, notAMember, type Permission, permit, signInFirst, strongestRole, unknownToken } from './access.ts'
import { type Actor, actAs } from './actor.ts'
import { Audit } from './audit.ts'
import type { BetterAuth, startBetterAuth } from './better-auth.ts'
import { holdsHostCookie, innerCookies, outerCookies } from './cookies.ts'
import { databaseFailure } from './database.ts'
import { deleteExpired } from './delete-expired.ts'
import { EmbeddedAccounts } from './embedded-accounts.ts'
import type { Engine } from './engine.ts'
import { MachineJobs } from './machine-jobs.ts'
import { MachineSpending } from './machine-spending.ts'
import { MemberInboxes } from './member-inboxes.ts'
import { type MemberStanding, Memberships } from './memberships.ts'
import { explained } from './oidc.ts'
import { OidcSignIn } from './oidc-sign-in.ts'
import { type AuthLog, type AuthOptions, SILENT } from './options.ts'
import { AuthRequests } from './requests.ts'
import { type LanguageRights, renderRights } from './rights.ts'
import { Sessions } from './sessions.ts'
import { SignUpPolicy } from './sign-up-policy.ts'
import type { AccountsSnapshot } from './snapshot.ts'
import { type Token, Tokens } from './tokens.ts'
import { withdrawRights } from './withdraw-rights.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

export type { AuthOptions } from './options.ts'

/**
 * A signed-in user. `organization` is null with a `problem`: `no-membership` when they belong to none, `not-a-member`
 * when they left the chosen one.
 */
export interface SessionState {
  /** No credential: it does not let a client in. */
  id: string
  user: { id: string; name: string; email: string }
  organization: ({ id: string } & MemberStanding) | null
  problem?: 'no-membership' | 'not-a-member'
  /** Set-Cookie values for the answer, when the session was extended. */
  setCookies: string[]
}

/** See the top of the file. One per data folder: {@link Auth.open}. */
export class Auth {
  readonly tokens: Tokens
  readonly audit: Audit
  readonly spending: MachineSpending
  readonly jobs: MachineJobs
  readonly inboxes: MemberInboxes
  readonly #options: AuthOptions
  readonly #engine: Engine
  readonly #memberships: Memberships
  readonly #sessions: Sessions
  readonly #admission: SignUpPolicy
  readonly #requests: AuthRequests
  readonly #log: AuthLog
  /** Revocations not yet on the disk, by token id. */
  readonly #unwritten = new Map<string, { organization: string; actor: Actor }>()
  readonly #revoking: BackgroundTask
  readonly #expiring: BackgroundTask
  #betterAuth: Promise<BetterAuth> | undefined

  private constructor(options: AuthOptions, engine: Engine, log: AuthLog) {
    const now = options.now ?? Date.now
    this.#log = log
    this.audit = new Audit(engine)
    this.spending = new MachineSpending(engine, now)
    this.jobs = new MachineJobs(engine, now)
    this.#engine = engine
    this.#memberships = new Memberships(engine.reads)
    this.#options = options
    const betterAuth = () => this.#start()
    this.#sessions = new Sessions(engine, betterAuth)
    this.tokens = new Tokens(engine, now)
    const recheck = (caller: Caller) => void this.recheck(caller, 'read')
    this.inboxes = new MemberInboxes(engine, { memberships: this.#memberships, now, recheck })
    const background = options.background ?? new Background({ info: () => {}, ...log })
    this.#revoking = background.task({ name: 'revoking tokens', run: () => this.#revokeUnwritten() })
    this.#expiring = background.task({
      name: 'deleting expired sessions and old entries of the audit trail',
      every: HOUR,
      run: async () => {
        while (await deleteExpired(engine, Date.now()));
        while (await this.audit.forgetOld());
      },
    })
    this.#expiring.in(MINUTE)
    this.#admission = new SignUpPolicy(options.signUp, engine, this.#memberships, now)
    this.#requests = new AuthRequests({
      options,
      engine,
      sessions: this.#sessions,
      memberships: this.#memberships,
      admission: this.#admission,
      tokens: this.tokens,
      betterAuth,
      oidc: options.oidc && new OidcSignIn(options.oidc, oidc => this.#load(oidc)),
      log,
      signInFailed: (email, address) => this.audit.signInFailed(email, address, now()),
    })
    engine.onForeign({ tokens: () => this.tokens.forget(), gone: id => this.#requests.gone(id) })
  }

  /**
   * Opens the accounts and updates their tables.
   * @throws Failure `unavailable` when the stored secret is damaged, or a newer Parlance has written the tables
   */
  static async open(options: AuthOptions): Promise<Auth> {
    const { dataDir, openEngine } = options
    const engine = openEngine ? await openEngine(options) : await EmbeddedAccounts.open(dataDir, options)
    return new Auth(options, engine, options.log ?? SILENT)
  }

  /**
   * Answers a request under /api/auth, if routes.ts and the rules of requests.ts allow it. Never throws; every error is
   * `{ error, code, message }`.
   * @param request its URL as the client reached the server, trusted proxies considered
   * @param clientAddress the client's IP address, likewise
   * @param secure whether the client came by https, so that cookies are for https alone
   * @param isHttps whether that is certain, so that only cookies for https count
   */
  handle(request: Request, clientAddress: string, secure: boolean, isHttps = secure): Promise<Response> {
    return this.#requests.handle(request, clientAddress, secure, isHttps)
  }

  /**
   * The user of a session cookie and the organization of their requests; null without a valid session. The membership
   * is read at each call.
   * @param secure as for `handle` @param isHttps likewise
   */
  async session(headers: Headers, secure = false, isHttps = secure): Promise<SessionState | null> {
    const cookie = headers.get('cookie')
    if (cookie === null) return null
    const session = await this.#sessions.read(innerCookies(cookie, isHttps))
    if (session === undefined) return null
    const { id, user, activeOrganization: chosen } = session
    const state = { id, user, setCookies: outerCookies(session.setCookies, secure || holdsHostCookie(cookie)) }
    const standing = chosen ? this.#memberships.standing(user.id, chosen) : undefined
    if (chosen && standing) return { ...state, organization: { id: chosen, ...standing } }
    const first = this.#memberships.first(user.id)
    if (first === undefined) return { ...state, organization: null, problem: 'no-membership' }
    return chosen ? { ...state, organization: null, problem: 'not-a-member' } : { ...state, organization: first }
  }

  /**
   * Checks a right at the moment of a write, after its body has arrived. Synchronous, so that nothing comes between it
   * and the write. The removal of a right waits for the writes under way before answering.
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
    const goesOn = caller.inBackground || this.#sessions.goesOn(caller.session ?? '', caller.id)
    if (!goesOn) throw signInFirst()
    const standing = this.#memberships.standing(caller.id, caller.organization)
    if (standing === undefined) throw notAMember()
    const { rights: _, ...identity } = caller
    const present = { ...identity, ...standing }
    permit(present, permission)
    return present
  }

  /** What an organization is called, undefined when it is gone. */
  named(organization: string): { slug: string; name: string } | undefined {
    return this.#memberships.named(organization)
  }

  /** The members of an organization. Costs more than other synchronous reads: a row for each. */
  members(organization: string): { id: string; name: string }[] {
    return this.#memberships.members(organization)
  }

  /** Which of these organizations have been deleted, as the audit trail says: others may only be unknown. */
  async deleted(organizations: readonly string[]): Promise<string[]> {
    const unknown = organizations.filter(id => this.named(id) === undefined)
    const isDeleted = await Promise.all(unknown.map(id => this.audit.recordsDeletion(id)))
    return unknown.filter((_, at) => isDeleted[at])
  }

  /** Whether anybody has an account yet. */
  hasUsers(): boolean {
    return this.#memberships.hasUsers()
  }

  /**
   * Creates a token of the caller's organization. @param asked as for {@link Tokens.mint}
   * @param check asks whether the projects are there. It runs once the token is stored: {@link withdraw} finds the
   * token, or a check that begins after the deletion of a project refuses it.
   * @throws Failure as {@link recheck}, {@link Tokens.mint} and `check` do
   */
  async mint(
    caller: Caller,
    asked: Parameters<Tokens['mint']>[0],
    actor: Actor,
    check: () => Promise<void> = async () => {},
  ): Promise<Token & { key: string }> {
    const { organization } = asked
    const minted = await this.tokens.mint(asked, actor, () => void this.recheck(caller, 'manage-tokens'))
    try {
      await check()
    } catch (error) {
      await this.tokens.revoke(organization, minted.id, actor)
      throw error
    }
    await this.#engine.untilReplicated()
    return minted
  }

  /**
   * Sets or removes the rights that narrow a member. When it resolves, no further write without them succeeds, on any
   * node.
   * @param membership its id @param rights null for all that the role may do
   * @returns false when the organization has no such membership
   * @throws Failure as {@link recheck} does; `conflict` for an owner or admin
   */
  async setRights(caller: Caller, membership: string, rights: LanguageRights | null, actor: Actor): Promise<boolean> {
    const { organization } = caller
    const stored = rights && renderRights(rights)
    const isSet = await actAs(actor, () =>
      this.#engine.change(async run => {
        this.recheck(caller, 'manage-members')
        const { rows } = await run<{ role: string }>`
          select role from member where id = ${membership} and "organizationId" = ${organization}`
        if (rows[0] === undefined) return false
        refuseNarrowing(rows[0].role, rights)
        const { changes } = await run`
          update member set rights = ${stored} where id = ${membership} and "organizationId" = ${organization}`
        return changes === 1
      }),
    )
    await this.#engine.untilReplicated()
    await this.#options.settle?.(organization)
    return isSet
  }

  /**
   * Removes a slug from all limited tokens and all rights, and its jobs, on all nodes, before a new project gets it.
   * They were for the deleted project. Repeating it is harmless.
   * @param check throws while such a project exists; its tokens stay as they are then
   */
  async withdraw(
    organization: string,
    slug: string,
    actor: Actor,
    check = async (): Promise<void> => {},
  ): Promise<void> {
    // The list comes first: it lacks the tokens of a project that is created later, and the check finds an earlier one.
    const ids = await this.tokens.limitedTo(organization, slug)
    await check()
    await this.tokens.withdraw(ids, slug, actor)
    await actAs(actor, () => this.#engine.change(run => withdrawRights(run, organization, slug)))
    await this.jobs.forget({ organization, project: slug })
    this.tokens.forget()
    // Another node may have stopped after an earlier withdrawal, before the rest of the cluster heard of it.
    await this.#engine.untilReplicated('by any node')
  }

  /**
   * Revokes a token of the caller's organization, at once in memory even when the disk refuses it.
   * @returns false when the organization has none of this id
   * @throws Failure as {@link recheck} does; `no-space` or `unavailable` when the disk refuses it so far
   */
  async revoke(caller: Caller, id: string, actor: Actor): Promise<boolean> {
    const { organization } = caller
    this.recheck(caller, 'manage-tokens')
    if (!this.tokens.end(organization, id)) return false
    try {
      if (!(await this.tokens.revoke(organization, id, actor))) return false
    } catch (error) {
      const failure = databaseFailure(error)
      if (failure === undefined) throw error
      this.#unwritten.set(id, { organization, actor })
      this.#revoking.in(0)
      const words = `${failure.message} The token is off already, and leaves the list when the server can write again.`
      throw new Failure(failure.code, words, failure.data)
    }
    await this.#engine.untilReplicated()
    await this.#options.settle?.(organization)
    return true
  }

  /** See {@link countChanges}. */
  changes(): number {
    return this.#engine.changes()
  }

  /** See {@link snapshotAccounts}. */
  snapshot(file: string, known?: string): Promise<AccountsSnapshot> {
    return this.#engine.snapshot(file, known)
  }

  close(): Promise<void> | void {
    this.#revoking.cancel(true)
    this.#expiring.cancel(true)
    return this.#engine.close()
  }

  async #revokeUnwritten(): Promise<void> {
    for (const [id, { organization, actor }] of this.#unwritten) {
      await this.tokens.revoke(organization, id, actor)
      await this.#engine.untilReplicated()
      this.#unwritten.delete(id)
    }
  }

  /**
   * better-auth, loaded on first need: it needs as much time and memory as all the rest, and API tokens and
   * good sessions do without.
   */
  #start(): Promise<BetterAuth> {
    this.#betterAuth ??= this.#load()
    return this.#betterAuth
  }

  async #load(oidc?: Parameters<typeof startBetterAuth>[0]['oidc']): Promise<BetterAuth> {
    const { startBetterAuth } = await import('./better-auth.ts')
    return startBetterAuth({
      database: await this.#engine.betterAuth(),
      secret: this.#engine.secret,
      memberships: this.#memberships,
      warn: message => this.#log.warn({}, `better-auth: ${message}`),
      admitByProvider: email => explained(async () => this.#admission.admitVerified(email)),
      ...(oidc && { oidc }),
    })
  }
}

/** @throws Failure `conflict` */
function refuseNarrowing(role: string, rights: LanguageRights | null): void {
  const strongest = strongestRole(role)
  if (rights === null || strongest === 'member') return
  const words = `This member has the role ${strongest}, which no rights narrow: give the member the role member first.`
  throw new Failure('conflict', words)
}
