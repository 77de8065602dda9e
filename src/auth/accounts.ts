/** The operator's acts on accounts, by better-auth's rules. */
import { randomBytes } from 'node:crypto'
import { Failure } from '../bundle/errors.ts'
import { checkProjectName } from '../bundle/names.ts'
import type { Role } from './access.ts'
import { type Actor, actAs } from './actor.ts'
import { type BetterAuth, startBetterAuth } from './better-auth.ts'
import { EmbeddedAccounts } from './embedded-accounts.ts'
import type { Engine } from './engine.ts'
import { Memberships } from './memberships.ts'
import { PASSWORD_LENGTH } from './validate-request.ts'

/** An account to create. */
export interface NewUser {
  email: string
  name: string
  password: string
  membership?: { organization: string; role: Role }
}

/** The reset account, and the number of valid sessions that ended. */
export interface PasswordReset {
  id: string
  email: string
  sessionsEnded: number
}

/** Opened by {@link Accounts.open}; a server may run beside it. */
export class Accounts {
  readonly #engine
  readonly #betterAuth: BetterAuth

  private constructor(engine: Engine, betterAuth: BetterAuth) {
    this.#engine = engine
    this.#betterAuth = betterAuth
  }

  /**
   * Opens or creates DATA_DIR/parlance.sqlite. @throws Failure `unavailable` when a newer Parlance has written it
   */
  static async open(dataDir: string): Promise<Accounts> {
    // The secret signs nothing that is stored.
    return Accounts.over(await EmbeddedAccounts.open(dataDir, { secret: randomBytes(32).toString('base64url') }))
  }

  /** The same over an engine, which {@link close} closes. */
  static async over(engine: Engine): Promise<Accounts> {
    try {
      const betterAuth = startBetterAuth({
        database: await engine.betterAuth(),
        secret: engine.secret,
        memberships: new Memberships(engine.reads),
        warn: () => {},
      })
      await betterAuth.$context
      return new Accounts(engine, betterAuth)
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  /**
   * Creates an account as sign-up would, without signing in.
   * @param user `membership.organization` is the id of one that exists
   * @throws Failure `invalid` for an address, name or password that sign-up refuses, `conflict` for an address that is
   * in use
   */
  async create({ email, name, password, membership }: NewUser): Promise<{ id: string; email: string; name: string }> {
    const hashed = await this.#hashed(password)
    return this.#byOperator({ path: 'create', hashed }, async () => {
      const { internalAdapter } = await this.#betterAuth.$context
      const { user } = await this.#betterAuth.api
        .signUpEmail({ body: { email, name: checkProjectName(name), password } })
        .catch(error => refused(error, email))
      // Sign-up starts a session that no client asked for.
      await internalAdapter.deleteUserSessions(user.id)
      // The operator vouches for the address, so that an OpenID provider knowing it signs in here.
      await internalAdapter.updateUser(user.id, { emailVerified: true })
      if (membership) {
        const { organization: organizationId, role } = membership
        await this.#betterAuth.api
          .addMember({ body: { userId: user.id, organizationId, role } })
          .catch(error => refused(error, email))
      }
      return { id: user.id, email: user.email, name: user.name }
    })
  }

  /**
   * Sets a new password and ends the user's sessions, which a running server notices at their next request.
   * @throws Failure `not-found` for an unknown address, `invalid` for a password that sign-up refuses
   */
  async resetPassword(email: string, password: string): Promise<PasswordReset> {
    const { hash } = await this.#hashed(password)
    return this.#byOperator({ path: 'reset-password' }, async () => {
      const { internalAdapter } = await this.#betterAuth.$context
      const { user, accounts } = await this.#find(email)
      if (accounts.some(account => account.providerId === 'credential')) {
        await internalAdapter.updatePassword(user.id, hash)
      } else {
        const credential = { userId: user.id, providerId: 'credential', accountId: user.id, password: hash }
        await internalAdapter.linkAccount(credential)
      }
      return this.#endSessions(user)
    })
  }

  /**
   * Turns a user's second factor off and ends their sessions.
   * @throws Failure `not-found` for an unknown address, `conflict` when there is no second factor
   */
  resetTwoFactor(email: string): Promise<PasswordReset> {
    return this.#byOperator({ path: 'reset-two-factor' }, async () => {
      const { adapter, internalAdapter } = await this.#betterAuth.$context
      const { user } = await this.#find(email)
      const gone = await adapter.deleteMany({ model: 'twoFactor', where: [{ field: 'userId', value: user.id }] })
      if (gone === 0 && !(user as { twoFactorEnabled?: boolean }).twoFactorEnabled) {
        throw new Failure('conflict', `${user.email} has no second factor: the password alone signs in.`)
      }
      await internalAdapter.updateUser(user.id, { twoFactorEnabled: false })
      return this.#endSessions(user)
    })
  }

  async #find(email: string) {
    const { internalAdapter } = await this.#betterAuth.$context
    const found = await internalAdapter.findUserByEmail(email.toLowerCase(), { includeAccounts: true })
    if (found) return found
    throw new Failure(
      'not-found',
      `No account has the address ${email}; \`parlance server user list\` shows who there is.`,
    )
  }

  async #endSessions({ id, email }: { id: string; email: string }): Promise<PasswordReset> {
    const { internalAdapter } = await this.#betterAuth.$context
    const { rows } = await this.#engine.query(
      run => run`select id from session where "userId" = ${id} and "expiresAt" > ${new Date().toISOString()}`,
    )
    await internalAdapter.deleteUserSessions(id)
    return { id, email, sessionsEnded: rows.length }
  }

  /** Before any transaction, which others would wait for. @throws Failure `invalid` */
  async #hashed(password: string): Promise<{ password: string; hash: string }> {
    const { password: passwords } = await this.#betterAuth.$context
    checkLength(password)
    return { password, hash: await passwords.hash(password) }
  }

  async #byOperator<T>(actor: Actor, act: () => Promise<T>): Promise<T> {
    const done = await actAs({ ...actor, operator: true }, () => this.#engine.act(act))
    await this.#engine.untilReplicated()
    return done
  }

  close(): Promise<void> | void {
    return this.#engine.close()
  }
}

/** As sign-up does. better-auth does not say which limit was broken. */
function checkLength(password: string): void {
  const { least, most } = PASSWORD_LENGTH
  if (password.length >= least && password.length <= most) return
  throw new Failure('invalid', `A password has ${least} to ${most} characters; this one has ${password.length}.`)
}

/** better-auth's refusal as a Failure that names the address. */
function refused(error: unknown, email: string): never {
  const { statusCode, body } = Object(error) as { statusCode?: number; body?: { code?: string; message?: string } }
  const { code = '', message = '' } = body ?? {}
  if (code.startsWith('USER_ALREADY_EXISTS'))
    throw new Failure('conflict', `The address ${email} has an account already.`)
  if (code === 'INVALID_EMAIL' || message.startsWith('[body.email]')) {
    throw new Failure('invalid', `${JSON.stringify(email)} is no e-mail address.`)
  }
  if (message === '' || statusCode === undefined || statusCode >= 500) throw error
  throw new Failure('invalid', message)
}
