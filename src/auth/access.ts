/** The one table of roles and scopes, and the shape of a caller. */
import { Failure } from '../bundle/errors.ts'
import type { LanguageRights } from './rights.ts'

/** A member's standing in an organization; `owner` may everything. */
export type Role = 'owner' | 'admin' | 'member'

/** What a token may do: `add` is reads and saveMissing, what an app in production needs. */
export type TokenScope = 'read' | 'add' | 'write'

/**
 * What a route asks for: `add` is saveMissing, `edit` any translation, `manage-projects` projects themselves,
 * `own-inbox` what a member has of their own.
 */
export type Permission =
  | 'read'
  | 'add'
  | 'edit'
  | 'manage-projects'
  | 'list-tokens'
  | 'manage-tokens'
  | 'manage-members'
  | 'read-audit'
  | 'own-inbox'

/** A user by session cookie, or an API token. The organization always comes from that credential. */
export interface Caller {
  kind: 'session' | 'token'
  /** Organization id. */
  organization: string
  role: Role
  /** Only tokens have less than `write`. */
  scope: TokenScope
  /** The slugs of the only projects that a token reaches; absent for all. */
  projects?: readonly string[]
  /** What narrows a plain member or a token to some languages and projects; absent where nothing does. */
  rights?: LanguageRights
  /** User id or token id. */
  id: string
  /** A user's session id (not its token, which would let one in). */
  session?: string
  /** Work that goes on after the session: only the membership counts. No request sets it. */
  inBackground?: true
  name: string
  /** The user's address, or `token+<id>@parlance.invalid`, which never receives mail (RFC 2606). */
  email: string
}

const ADMIN: readonly Permission[] = [
  ...(['read', 'add', 'edit', 'manage-projects', 'list-tokens', 'manage-tokens', 'manage-members'] as const),
  'own-inbox',
]

const BY_ROLE: Record<Role, readonly Permission[]> = {
  owner: [...ADMIN, 'read-audit'],
  admin: ADMIN,
  member: ['read', 'add', 'edit', 'list-tokens', 'own-inbox'],
}

/** Tokens never touch tokens: a leaked one could mint its successor. */
const BY_SCOPE: Record<TokenScope, readonly Permission[]> = {
  read: ['read'],
  add: ['read', 'add'],
  write: ['read', 'add', 'edit', 'manage-projects'],
}

/** Whether the caller may do it: a session by its role, a token by role and scope. */
export function may(caller: Caller, permission: Permission): boolean {
  if (caller.kind === 'token' && !BY_SCOPE[caller.scope].includes(permission)) return false
  return BY_ROLE[caller.role].includes(permission)
}

/** Whether there is such a project for the caller: a token may be limited to some. */
export const reaches = ({ projects }: Caller, slug: string): boolean => projects?.includes(slug) ?? true

/** @throws Failure `forbidden`, naming what is missing */
export function permit(caller: Caller, permission: Permission): void {
  if (!may(caller, permission)) throw new Failure('forbidden', refusal(caller, permission))
}

function refusal(caller: Caller, permission: Permission): string {
  if (caller.kind === 'session') {
    const roles = permission === 'read-audit' ? 'owner' : 'owner or admin'
    return `This needs the role ${roles}, and yours is ${caller.role}.`
  }
  if (permission === 'read-audit') return 'An API token cannot read the audit trail: sign in.'
  if (permission === 'manage-members') return 'An API token cannot manage members: sign in.'
  if (permission === 'own-inbox') return 'An API token has no inbox: sign in.'
  if (permission === 'list-tokens' || permission === 'manage-tokens')
    return 'An API token cannot manage tokens: sign in.'
  if (caller.scope === 'add') return 'This API token may only read, and add missing keys by POST to a namespace.'
  return 'This API token may only read.'
}

const STRONGEST_FIRST: readonly Role[] = ['owner', 'admin', 'member']

/** Whether a stored role consists of known roles. better-auth joins roles with commas (`"admin,member"`). */
export function isRole(stored: string): boolean {
  return stored.split(',').every(role => (STRONGEST_FIRST as readonly string[]).includes(role))
}

/** The strongest role in a stored one, by default `member`. */
export function strongestRole(stored: string): Role {
  const held = stored.split(',')
  return STRONGEST_FIRST.find(role => held.includes(role)) ?? 'member'
}

/** The failure for a request without a valid session. */
export const signInFirst = () => new Failure('unauthenticated', 'Sign in, or send an API token in x-api-key.')

/** The failure for an invalid API token. */
export const unknownToken = (key = '') =>
  new Failure(
    'unauthenticated',
    /^\s*(bearer|basic|token)\s/i.test(key)
      ? 'The header x-api-key holds the API token alone, such as prl_…, with no word before it.'
      : 'The API token in x-api-key is unknown, expired or revoked.',
  )

/** The failure for a user who must choose another organization. */
export const notAMember = () =>
  new Failure('forbidden', 'You are no longer a member of the organization that you had chosen: choose another one.')
