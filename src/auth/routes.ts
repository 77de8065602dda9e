/** Which routes of better-auth are reachable over HTTP, and which limit each falls under. */

import { CALLBACK } from './mount.ts'

/** The limits of rate-limit.ts: guesses of passwords are dear, reads of a dashboard are cheap. */
export type LimitName = 'sign-up' | 'sign-in' | 'password' | 'code' | 'oidc' | 'found' | 'invite' | 'other'

/**
 * An allow-list, so that what an upgrade of better-auth adds is not exposed unseen. Left out: whatever needs a mailer (there
 * is none), changing the e-mail address and deleting a user, the generated document, teams, and all of `/api-key`.
 */
export const ROUTES: Record<string, LimitName> = {
  'POST /sign-up/email': 'sign-up',
  'POST /sign-in/email': 'sign-in',
  'POST /change-password': 'password',
  'POST /verify-password': 'password',
  'POST /two-factor/enable': 'password',
  'POST /two-factor/disable': 'password',
  'POST /two-factor/get-totp-uri': 'password',
  'POST /two-factor/generate-backup-codes': 'password',
  'POST /two-factor/verify-totp': 'code',
  'POST /two-factor/verify-backup-code': 'code',
  'POST /sign-in/social': 'oidc',
  'POST /link-social': 'oidc',
  'GET /callback/oidc': 'oidc',
  'POST /sign-out': 'other',
  'GET /get-session': 'other',
  'GET /list-sessions': 'other',
  'POST /revoke-session': 'other',
  'POST /revoke-sessions': 'other',
  'POST /revoke-other-sessions': 'other',
  'GET /list-accounts': 'other',
  'POST /update-user': 'other',
  'GET /ok': 'other',
  'POST /organization/create': 'found',
  'POST /organization/update': 'other',
  'POST /organization/delete': 'other',
  'POST /organization/check-slug': 'found',
  'POST /organization/set-active': 'other',
  'GET /organization/list': 'other',
  'GET /organization/get-organization': 'other',
  'GET /organization/get-full-organization': 'other',
  'POST /organization/invite-member': 'invite',
  'POST /organization/cancel-invitation': 'other',
  'POST /organization/accept-invitation': 'other',
  'POST /organization/reject-invitation': 'other',
  'GET /organization/get-invitation': 'other',
  'GET /organization/list-invitations': 'other',
  'GET /organization/list-user-invitations': 'other',
  'GET /organization/list-members': 'other',
  'GET /organization/get-active-member': 'other',
  'GET /organization/get-active-member-role': 'other',
  'POST /organization/remove-member': 'other',
  'POST /organization/update-member-role': 'other',
  'POST /organization/leave': 'other',
  'POST /organization/has-permission': 'other',
}

/**
 * The limit of a route, undefined when it is not reachable. The path is compared as it stands: an encoded or otherwise varied one is none.
 * @param oidc whether there is an OpenID provider
 */
export function limitOf(method: string, path: string, oidc = false): LimitName | undefined {
  const route = `${method} ${path}`
  const limit = Object.hasOwn(ROUTES, route) ? ROUTES[route] : undefined
  return limit === 'oidc' && !oidc ? undefined : limit
}

/** Who has a session may come by another one here: the audit trail names whose it is. */
export const SIGNS_IN = /^\/(sign-in|sign-up|callback)\//

/** Where an invitation is withdrawn. */
export const WITHDRAWAL = '/organization/cancel-invitation'

/**
 * What is done by right of a role or a session, which better-auth asks for in one step and uses in the next: one such act at a time, so
 * that nobody's right goes between the two. Nothing here hashes or waits for anybody outside.
 */
export const BY_RIGHT = new Set([
  '/sign-out',
  '/revoke-session',
  '/revoke-sessions',
  '/revoke-other-sessions',
  '/update-user',
  '/organization/create',
  '/organization/update',
  '/organization/delete',
  '/organization/invite-member',
  WITHDRAWAL,
  '/organization/accept-invitation',
  '/organization/reject-invitation',
  '/organization/remove-member',
  '/organization/update-member-role',
  '/organization/leave',
])

/** What takes somebody's right to an organization away. */
export const ENDS_MEMBERSHIP = new Set([
  '/organization/delete',
  '/organization/remove-member',
  '/organization/update-member-role',
  '/organization/leave',
])

/** What ends sessions, and so what their user may do in any organization. */
export const ENDS_SESSIONS = new Set([
  '/sign-out',
  '/revoke-session',
  '/revoke-sessions',
  '/revoke-other-sessions',
  '/change-password',
  '/two-factor/verify-totp',
  '/two-factor/disable',
])

/** Where a browser is sent to the OpenID provider. */
export const BEGINS_BY_PROVIDER = new Set(['/sign-in/social', '/link-social'])
/** What cannot be answered without the OpenID provider. */
export const USES_PROVIDER = new Set([...BEGINS_BY_PROVIDER, CALLBACK])

/** What is about a second factor. */
export const ABOUT_CODES = /^\/two-factor\//

/** What says, in its body, which invitation it is about. */
export const ABOUT_INVITATIONS = new Set([
  WITHDRAWAL,
  '/organization/accept-invitation',
  '/organization/reject-invitation',
])
