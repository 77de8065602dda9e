/** better-auth's routes that are reachable over HTTP. */
import type { RequestShape } from './validate-request.ts'

/** The limits of rate-limit.ts. */
export type LimitName = 'sign-up' | 'sign-in' | 'password' | 'code' | 'oidc' | 'found' | 'invite' | 'other'

/** A route. Those of the limit `oidc` need the OpenID provider. */
export interface AuthRoute {
  limit: LimitName
  /** Absent for the two that {@link OidcSignIn.beginning} reads. */
  body?: RequestShape
  query?: RequestShape
  /** better-auth checks the right and uses it in separate steps: one act at a time. */
  byRight?: true
  /** Sessions, and so their user's writes in any organization, or a membership. */
  ends?: 'sessions' | 'membership'
}

const ORGANIZATION = { 'organizationId?': 'text' } as const
const NAMED = { ...ORGANIZATION, 'organizationSlug?': 'text' } as const
const PASSWORD = { password: 'text' } as const
const CODE = { code: 'text', 'trustDevice?': 'flag' } as const

const other = (more: Omit<AuthRoute, 'limit'> = {}): AuthRoute => ({ limit: 'other', ...more })
const byPassword = (more: RequestShape = {}, ends?: AuthRoute['ends']): AuthRoute => ({
  limit: 'password',
  body: { ...PASSWORD, ...more },
  ...(ends && { ends }),
})
const byRight = (body: RequestShape, ends?: AuthRoute['ends']): AuthRoute =>
  other({ body, byRight: true, ...(ends && { ends }) })
const ofInvitation = byRight({ invitationId: 'text' })

/**
 * An allow-list, so that upgrades expose nothing unseen. Left out: what needs a mailer, changing the address, deleting
 * a user, the generated document, teams, `/api-key`.
 */
export const ROUTES: Record<string, AuthRoute> = {
  'POST /sign-up/email': {
    limit: 'sign-up',
    body: {
      name: 'name',
      email: 'text',
      password: 'new password',
      'image?': 'text or null',
      'callbackURL?': 'text',
      'rememberMe?': 'flag',
    },
  },
  'POST /sign-in/email': {
    limit: 'sign-in',
    body: { email: 'text', ...PASSWORD, 'callbackURL?': 'text', 'rememberMe?': 'flag' },
  },
  'POST /sign-in/social': { limit: 'oidc' },
  'POST /link-social': { limit: 'oidc' },
  'GET /callback/oidc': { limit: 'oidc' },
  'POST /sign-out': byRight({}, 'sessions'),
  'GET /get-session': other({
    query: { 'disableCookieCache?': ['true', 'false'], 'disableRefresh?': ['true', 'false'] },
  }),
  'GET /list-sessions': other(),
  'POST /revoke-session': byRight({ token: 'some text' }, 'sessions'),
  'POST /revoke-sessions': byRight({}, 'sessions'),
  'POST /revoke-other-sessions': byRight({}, 'sessions'),
  'GET /list-accounts': other(),
  'POST /update-user': byRight({ 'name?': 'name', 'image?': 'text or null' }),
  'POST /change-password': {
    limit: 'password',
    body: { newPassword: 'new password', currentPassword: 'text' },
    ends: 'sessions',
  },
  'POST /verify-password': byPassword(),
  'POST /two-factor/enable': byPassword({ 'method?': ['totp'], 'issuer?': 'text' }),
  'POST /two-factor/disable': byPassword({}, 'sessions'),
  'POST /two-factor/get-totp-uri': byPassword(),
  'POST /two-factor/generate-backup-codes': byPassword(),
  'POST /two-factor/verify-totp': { limit: 'code', body: CODE, ends: 'sessions' },
  'POST /two-factor/verify-backup-code': { limit: 'code', body: { ...CODE, 'disableSession?': 'flag' } },
  'GET /ok': other(),
  'POST /organization/create': {
    limit: 'found',
    body: {
      name: 'name',
      slug: 'name',
      'logo?': 'text or null',
      'metadata?': 'object',
      'keepCurrentActiveOrganization?': 'flag',
    },
    byRight: true,
  },
  'POST /organization/update': byRight({ data: 'organization', ...ORGANIZATION }),
  'POST /organization/delete': byRight({ organizationId: 'text' }, 'membership'),
  'POST /organization/check-slug': { limit: 'found', body: { slug: 'some text' } },
  'POST /organization/set-active': other({
    body: { 'organizationId?': 'text or null', 'organizationSlug?': 'text' },
  }),
  'GET /organization/list': other(),
  'GET /organization/get-organization': other({ query: NAMED }),
  'GET /organization/get-full-organization': other({ query: { ...NAMED, 'membersLimit?': 'count' } }),
  'POST /organization/invite-member': {
    limit: 'invite',
    body: { email: 'text', role: 'role', 'rights?': 'language rights', ...ORGANIZATION, 'resend?': 'flag' },
    byRight: true,
  },
  'POST /organization/cancel-invitation': ofInvitation,
  'POST /organization/accept-invitation': ofInvitation,
  'POST /organization/reject-invitation': ofInvitation,
  'GET /organization/get-invitation': other({ query: { id: 'some text' } }),
  'GET /organization/list-invitations': other({ query: ORGANIZATION }),
  'GET /organization/list-user-invitations': other(),
  'GET /organization/list-members': other({
    query: {
      ...NAMED,
      'limit?': 'page',
      'offset?': 'count',
      'sortBy?': ['createdAt', 'id', 'role', 'userId'],
      'sortDirection?': ['asc', 'desc'],
      'filterField?': ['id', 'role', 'userId'],
      'filterOperator?': ['eq', 'ne', 'contains', 'starts_with', 'ends_with'],
      'filterValue?': 'text',
    },
  }),
  'GET /organization/get-active-member': other(),
  'GET /organization/get-active-member-role': other({ query: { 'userId?': 'text', ...NAMED } }),
  'POST /organization/remove-member': byRight({ memberIdOrEmail: 'text', ...ORGANIZATION }, 'membership'),
  'POST /organization/update-member-role': byRight({ memberId: 'text', role: 'roles', ...ORGANIZATION }, 'membership'),
  'POST /organization/leave': byRight({ organizationId: 'text' }, 'membership'),
  'POST /organization/has-permission': other({ body: { permissions: 'rights', ...ORGANIZATION } }),
}

/** A route, undefined when not reachable; encoded paths are not. @param oidc whether there is an OpenID provider */
export function routeOf(method: string, path: string, oidc = false): AuthRoute | undefined {
  const name = `${method} ${path}`
  const route = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined
  return route?.limit === 'oidc' && !oidc ? undefined : route
}
