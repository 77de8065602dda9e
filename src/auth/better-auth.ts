/** better-auth as Parlance runs it: options, migrations, and hooks that close gaps. */
import { availableParallelism } from 'node:os'
import { type AuthContext, betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth'
import { organization } from 'better-auth/plugins/organization'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { FairSlots } from '../scheduling/fair-slots.ts'
import { type Role, strongestRole } from './access.ts'
import {
  MAX_USER_AGENT,
  MOST_LISTED,
  MOST_MEMBERS,
  MOST_ORGANIZATIONS,
  MOST_PENDING_INVITATIONS,
  MOST_SESSIONS,
} from './account-bounds.ts'
import { currentActor } from './actor.ts'
import { addOwnTables, type Database } from './database.ts'
import type { BetterAuthDatabase } from './dialect.ts'
import type { Memberships } from './memberships.ts'
import {
  BASE_PATH,
  CLIENT_ADDRESS_HEADER,
  COOKIE_PREFIX,
  INNER_ORIGIN,
  REFRESH_AFTER_SECONDS,
  SESSION_SECONDS,
} from './mount.ts'
import { Refusal } from './refusal.ts'
import { type LanguageRights, parseRights, renderRights } from './rights.ts'
import { ownOrigins } from './same-origin.ts'

/**
 * The rights of members and invitations, text in both databases: PostgreSQL's JSON would order the members in its own
 * way. What better-auth writes is text already, and what it answers is a list, or null.
 */
const RIGHTS = {
  type: 'string',
  required: false,
  transform: { output: (value: unknown) => (typeof value === 'string' ? (parseRights(value) as never) : null) },
} as const

/** The schema for the plugin of organizations. */
const ORGANIZATION_FIELDS = {
  invitation: { additionalFields: { rights: RIGHTS } },
  member: {
    additionalFields: { rights: { ...RIGHTS, input: false, defaultValue: () => currentActor()?.rights ?? null } },
  },
} as const

/** Creates or alters all tables. @returns the changed tables of better-auth */
export async function migrate(database: Database): Promise<string[]> {
  const altered = await migrateTo(database)
  addOwnTables(database)
  return altered
}

/** Creates or alters better-auth's own tables. @returns the changed ones */
export async function migrateTo(database: Database | BetterAuthDatabase): Promise<string[]> {
  const { toBeCreated, toBeAdded, runMigrations } = await getMigrations({
    database,
    plugins: [organization({ schema: ORGANIZATION_FIELDS }), twoFactor()],
  })
  await runMigrations()
  return [...toBeCreated, ...toBeAdded].map(change => change.table)
}

/** better-auth with these options and plugins. */
export type BetterAuth = ReturnType<typeof startBetterAuth>

/** Starts better-auth over a migrated database. */
export function startBetterAuth(given: {
  database: BetterAuthDatabase
  secret: string
  memberships: Memberships
  warn: (message: string) => void
  /** The OpenID provider, once its endpoints are known. */
  oidc?: GenericOAuthConfig
  /** Lets in the provider's newcomer, or throws. */
  admitByProvider?: (email: string) => Promise<void>
}) {
  const { memberships } = given
  return betterAuth({
    appName: 'Parlance',
    basePath: BASE_PATH,
    baseURL: INNER_ORIGIN,
    trustedOrigins: (request?: Request) => (request === undefined ? [] : ownOrigins(request.headers)),
    // As a list BETTER_AUTH_SECRETS of the environment cannot replace it.
    secrets: [{ version: 1, value: given.secret }],
    database: given.database,
    emailAndPassword: {
      enabled: true,
      password: {
        hash: password => {
          const actor = currentActor()
          if (actor?.hashed?.password === password) return Promise.resolve(actor.hashed.hash)
          return hashing(() => hashPassword(password))
        },
        verify: pair => hashing(() => verifyPassword(pair)),
      },
    },
    session: { expiresIn: SESSION_SECONDS, updateAge: REFRESH_AFTER_SECONDS },
    // Our own limits count by account too and send Retry-After.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // Unexpected errors are thrown here, so that no stack is printed or answered.
    onAPIError: { throw: true },
    logger: { level: 'error' as const, log: (_level: string, message: string) => given.warn(message) },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: false,
      // Explicit, as better-auth turns both checks off when NODE_ENV or TEST is set for tests.
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      database: { defaultFindManyLimit: MOST_LISTED },
    },
    account: {
      // The provider's tokens only identify the user, once.
      updateAccountOnSignIn: false,
      // Both sides must have verified the address: else its account's maker would share it.
      accountLinking: {
        enabled: true,
        trustedProviders: [],
        requireLocalEmailVerified: true,
        allowDifferentEmails: false,
      },
    },
    databaseHooks: {
      user: {
        create: {
          before: async (user: { email: string }, context: { path?: string } | null) => {
            if (context?.path?.startsWith('/callback/')) await given.admitByProvider?.(user.email)
          },
        },
      },
      account: {
        create: {
          before: async () => ({ data: { accessToken: null, refreshToken: null, idToken: null } }),
        },
      },
      session: {
        create: {
          before: async (
            session: { userId: string; userAgent?: string | null | undefined },
            context: { context: AuthContext } | null,
          ) => {
            if (context) await endOldestSessions(session.userId, context.context.internalAdapter)
            const activeOrganizationId = organizationOf(session, context?.context, memberships)
            return { data: { activeOrganizationId, userAgent: session.userAgent?.slice(0, MAX_USER_AGENT) } }
          },
        },
        update: { before: keepActiveOrganization },
      },
    },
    plugins: [
      organization({
        schema: ORGANIZATION_FIELDS,
        cancelPendingInvitationsOnReInvite: true,
        invitationExpiresIn: 7 * 24 * 60 * 60,
        // The defaults of 100 are too low for a company.
        membershipLimit: MOST_MEMBERS,
        invitationLimit: MOST_PENDING_INVITATIONS,
        organizationLimit: async ({ id }) => memberships.organizations(id).length >= MOST_ORGANIZATIONS,
        organizationHooks: {
          beforeAcceptInvitation: async ({ invitation, user }) => {
            refuseDeadInvitation(memberships.role(invitation.inviterId, invitation.organizationId), invitation.role)
            refuseSecondMembership(memberships.role(user.id, invitation.organizationId))
            refuseFurtherOrganization(memberships.organizations(user.id).length)
            const actor = currentActor()
            if (actor) actor.rights = storedRights(invitation)
          },
          afterDeleteOrganization: async ({ organization }) => {
            const actor = currentActor()
            if (actor) actor.deleted = organization.id
          },
        },
      }),
      // Five wrong codes end a sign-in, ten in a row close the second factor for a quarter of an hour.
      askedOfEverybody(twoFactor({ issuer: 'Parlance' })),
      // Another list entry would change the types of all others.
      ...((given.oidc ? [genericOAuth({ config: [given.oidc] })] : []) as never[]),
    ],
  })
}

/**
 * Half a minute's worth of hashes may wait. Few run at once: libuv's four threads also read files, and each hash needs
 * 16 MiB.
 */
const passwords = new FairSlots(Math.min(3, availableParallelism()), 1000)

/** Hashes a password. Crowds that sign up leave turns to sign-ins. @throws Refusal 503 when too many wait */
function hashing<T>(hash: () => Promise<T>): Promise<T> {
  const act = currentActor()?.path.startsWith('/sign-up/') ? 'sign-up' : 'sign-in'
  const busy = () =>
    new Refusal(503, 'BUSY', 'Too many people sign in or up just now; try again in a moment.', { 'retry-after': '5' })
  return passwords.inTurn(undefined, busy, hash, { claimant: { organization: act, credential: '' } })
}

/** Asks for the second factor after the OpenID provider too; better-auth asks only after a password. */
function askedOfEverybody(plugin: ReturnType<typeof twoFactor>) {
  for (const hook of plugin.hooks.after) {
    const { matcher } = hook
    hook.matcher = context => matcher(context) || context.path === '/callback/:id'
  }
  return plugin
}

/**
 * Ends sessions before a further one, so that the user has {@link MOST_SESSIONS} at most: expired ones, then the
 * oldest.
 */
async function endOldestSessions(userId: string, adapter: AuthContext['internalAdapter']): Promise<void> {
  const sessions = await adapter.listSessions(userId)
  if (sessions.length < MOST_SESSIONS) return
  const now = Date.now()
  const rank = ({ createdAt, expiresAt }: (typeof sessions)[number]) =>
    expiresAt.getTime() > now ? createdAt.getTime() : 0
  const oldest = sessions.sort((a, b) => rank(a) - rank(b)).slice(0, sessions.length - MOST_SESSIONS + 1)
  await adapter.deleteSessions(oldest.map(({ token }) => token))
}

/** A session's replacement has the same organization; a new session begins in the user's first. */
function organizationOf({ userId }: { userId: string }, context: AuthContext | undefined, memberships: Memberships) {
  const replaced = context?.session?.user.id === userId ? context.session.session.activeOrganizationId : undefined
  return typeof replaced === 'string' ? replaced : (memberships.first(userId)?.id ?? null)
}

/**
 * Retains the active organization until another one, or none, is chosen. better-auth unsets it at any refusal, even on
 * reads, and requests would silently go to another one.
 */
async function keepActiveOrganization(
  change: Record<string, unknown>,
  context: { path?: string; body?: { organizationId?: unknown } } | null,
): Promise<boolean | undefined> {
  if (change.activeOrganizationId !== null) return undefined
  return context?.path === '/organization/set-active' && context.body?.organizationId === null ? undefined : false
}

/** An invitation is worth its maker's present rights: a removed admin must not return by their own. */
function refuseDeadInvitation(inviter: Role | undefined, role: string): void {
  if (inviter === 'owner' || (inviter === 'admin' && strongestRole(role) !== 'owner')) return
  throw new APIError('BAD_REQUEST', {
    code: 'INVITATION_NOT_FOUND',
    message: 'The author of this invitation may no longer invite: ask for a new one.',
  })
}

function refuseSecondMembership(present: Role | undefined): void {
  if (present === undefined) return
  throw new APIError('BAD_REQUEST', {
    code: 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
    message: 'You are already a member of this organization.',
  })
}

/** In better-auth's words for a user who creates one. */
function refuseFurtherOrganization(present: number): void {
  if (present < MOST_ORGANIZATIONS) return
  throw new APIError('FORBIDDEN', { code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS' })
}

/** The rights of a row that better-auth has read, as the table has them. */
function storedRights(row: object): string | null {
  const { rights } = row as { rights?: LanguageRights | null }
  return rights ? renderRights(rights) : null
}
