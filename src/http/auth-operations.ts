/** What is told of the routes under `/api/auth`, which better-auth answers: in our words, since its own document names tables and little of the answers. */
import { z } from 'zod'
import type { Described, RouteSchema } from './api-document.ts'
import { type Answer, answer, failures, time } from './shapes.ts'

const id = (of: string) =>
  z
    .string()
    .describe(`The id of the ${of}.`)
    .meta({ examples: ['HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS'] })
const text = (description: string, example: string) =>
  z
    .string()
    .describe(description)
    .meta({ examples: [example] })
const email = text('An e-mail address.', 'ann@example.com')
const password = text('8 to 128 characters.', 'correct horse battery')
const image = z
  .string()
  .nullable()
  .describe('The address of a picture.')
  .meta({ examples: [null] })
const role = z.enum(['owner', 'admin', 'member'])
const done = z.object({ status: z.literal(true) }).describe('Done.')

const User = z
  .object({
    id: id('user'),
    name: text('What others see.', 'Ann'),
    email,
    emailVerified: z.boolean(),
    image,
    createdAt: time,
    updatedAt: time,
    twoFactorEnabled: z.boolean().describe('Whether signing in takes a code too.'),
  })
  .meta({ id: 'User' })
const Session = z
  .object({
    id: id('session'),
    token: text('What `revoke-session` takes.', 'PfLZBREtzGuwPiM1rJsXwMuOtN9TWMoW'),
    userId: id('user'),
    createdAt: time,
    updatedAt: time,
    expiresAt: time,
    ipAddress: z
      .string()
      .nullable()
      .meta({ examples: ['203.0.113.7'] }),
    userAgent: z
      .string()
      .nullable()
      .meta({ examples: ['Mozilla/5.0'] }),
    activeOrganizationId: id('organization that its requests are about').nullable(),
  })
  .meta({ id: 'Session' })
const Organization = z
  .object({
    id: id('organization'),
    name: text('What people see.', 'Acme'),
    slug: text('Unique on the server.', 'acme'),
    logo: z.string().nullable().optional(),
    createdAt: time,
    metadata: z.unknown().optional().describe('Whatever was stored with it.'),
  })
  .meta({ id: 'Organization' })
const Member = z
  .object({ id: id('membership'), organizationId: id('organization'), userId: id('user'), role, createdAt: time })
  .meta({ id: 'Member' })
const MemberWithUser = Member.extend({ user: User.pick({ id: true, name: true, email: true, image: true }) }).meta({
  id: 'MemberWithUser',
})
const Invitation = z
  .object({
    id: id('invitation; it lets one in'),
    organizationId: id('organization'),
    email,
    role,
    status: z.enum(['pending', 'accepted', 'rejected', 'canceled']),
    expiresAt: time,
    createdAt: time,
    inviterId: id('user who invited'),
  })
  .meta({ id: 'Invitation' })
const Account = z
  .object({
    id: id('account'),
    accountId: id('user at the provider'),
    providerId: text('`credential` is the password.', 'credential'),
    userId: id('user'),
    scopes: z.array(z.string()).meta({ examples: [[]] }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Account' })

const AuthError = z
  .object({
    error: text('One sentence that says what is wrong.', 'The e-mail address or the password is wrong.'),
    code: text(
      "better-auth's name for it; absent where it did not see the request.",
      'INVALID_EMAIL_OR_PASSWORD',
    ).optional(),
    message: text('The same sentence as `error`, likewise.', 'The e-mail address or the password is wrong.').optional(),
  })
  .meta({ id: 'AuthError' })

/** An error answer of ours as it is under `/api/auth`. */
function withCode([status, answer]: [string, Answer]): [string, Answer] {
  return [
    status,
    { ...answer, ...(answer.name && { name: `Auth${answer.name}` }), body: AuthError, headers: RETRY[status] ?? [] },
  ]
}
const RETRY: Record<string, Answer['headers']> = { 429: ['Retry-After'], 503: ['Retry-After'] }
const failed = {
  ...failures(
    ...([
      'invalid',
      'unauthenticated',
      'forbidden',
      'not-found',
      'conflict',
      'too-large',
      'unsupported-media',
    ] as const),
    ...(['unfit', 'too-many', 'unavailable', 'no-space'] as const),
  ),
  500: { name: 'Failed', description: 'The server failed; its log says why.' },
}
const refusals = Object.fromEntries(Object.entries(failed).map(withCode))

const organizationId = id('organization; the active one by default').optional()
const organizationSlug = text('In place of its id.', 'acme').optional()
const which = z.object({ organizationId, organizationSlug })
const invitation = z.object({ invitationId: id('invitation') })
const byPassword = z.object({ password })
const code = text('The six digits that the app shows now.', '123456')
const backupCodes = z.array(text('Works once.', 'kX3fN-2mQ8z'))
const signedIn = z.object({ token: text('Of the session.', 'PfLZBREtzGuwPiM1rJsXwMuOtN9TWMoW'), user: User })
const callback = text('Where to go afterwards, on this server.', '/').optional()

interface Told {
  operationId: string
  summary: string
  description?: string
  query?: z.ZodType
  body?: z.ZodType
  /** What 200 answers. */
  answer: z.ZodType
  /** Whether the answer begins or ends a session. */
  cookies?: boolean
  /** Whether it says where to go next. */
  leads?: boolean
  /** Whether strangers may ask. */
  open?: boolean
  /** Only where there is an OpenID provider. */
  oidc?: boolean
}

/** By the route as `auth/routes.ts` lists it. */
const OPERATIONS: Record<string, Told> = {
  'POST /sign-up/email': {
    operationId: 'signUp',
    summary: 'Make an account, and sign in to it',
    description:
      'Where the server admits invited people only (`SIGN_UP=invite`), the id of the invitation comes along: in the ' +
      'header `x-invitation`, as `?invitation=`, or as a member of the body.',
    query: z.object({ invitation: id('invitation').optional() }),
    body: z.object({
      name: text('What others see.', 'Ann'),
      email,
      password,
      image: z.string().optional(),
      invitation: id('invitation').optional(),
      callbackURL: z.string().optional(),
      rememberMe: z.boolean().optional(),
    }),
    answer: signedIn.extend({ token: signedIn.shape.token.nullable() }).describe('The account, signed in.'),
    cookies: true,
    open: true,
  },
  'POST /sign-in/email': {
    operationId: 'signIn',
    summary: 'Sign in with a password',
    description: 'Whoever has a second factor gets `twoFactorRedirect`, and sends the code to `verify-totp` next.',
    body: z.object({ email, password, callbackURL: z.string().optional(), rememberMe: z.boolean().optional() }),
    answer: z
      .union([
        signedIn.extend({ redirect: z.boolean(), url: z.string().optional() }),
        z.object({ twoFactorRedirect: z.literal(true), twoFactorMethods: z.array(z.string()) }),
      ])
      .describe('Signed in, or waiting for the code.'),
    cookies: true,
    open: true,
  },
  'POST /sign-in/social': {
    operationId: 'signInByProvider',
    summary: 'Begin to sign in by the OpenID provider',
    body: z.looseObject({ provider: z.literal('oidc'), callbackURL: callback, errorCallbackURL: callback }),
    answer: z
      .object({ url: text('Where to send the browser.', 'https://id.example.com/authorize'), redirect: z.boolean() })
      .describe('Where to go.'),
    cookies: true,
    leads: true,
    open: true,
    oidc: true,
  },
  'POST /link-social': {
    operationId: 'linkProvider',
    summary: 'Begin to sign in to the same account by the OpenID provider too',
    body: z.looseObject({ provider: z.literal('oidc'), callbackURL: callback, errorCallbackURL: callback }),
    answer: z
      .object({ url: text('Where to send the browser.', 'https://id.example.com/authorize'), redirect: z.boolean() })
      .describe('Where to go.'),
    cookies: true,
    leads: true,
    oidc: true,
  },
  'POST /sign-out': {
    operationId: 'signOut',
    summary: 'End this session',
    answer: z.object({ success: z.boolean() }).describe('Signed out.'),
    cookies: true,
    open: true,
  },
  'GET /get-session': {
    operationId: 'getSession',
    summary: 'Who is signed in',
    query: z.object({
      disableCookieCache: z.enum(['true', 'false']).optional().describe('Has no effect: there is no such cache.'),
      disableRefresh: z.enum(['true', 'false']).optional().describe('`true`: the session is not made to last longer.'),
    }),
    answer: z.object({ session: Session, user: User }).nullable().describe('Null for whoever is not.'),
    cookies: true,
    open: true,
  },
  'GET /list-sessions': {
    operationId: 'listSessions',
    summary: 'All sessions of the user',
    answer: z.array(Session).describe('Those that are not over.'),
  },
  'POST /revoke-session': {
    operationId: 'revokeSession',
    summary: 'End one session of the user',
    body: z.object({ token: Session.shape.token }),
    answer: done,
  },
  'POST /revoke-sessions': {
    operationId: 'revokeSessions',
    summary: 'End all sessions of the user',
    answer: done,
    cookies: true,
  },
  'POST /revoke-other-sessions': {
    operationId: 'revokeOtherSessions',
    summary: 'End all sessions of the user but this one',
    answer: done,
  },
  'GET /list-accounts': {
    operationId: 'listAccounts',
    summary: 'How the user can sign in',
    answer: z.array(Account).describe('A password, a provider, or both.'),
  },
  'POST /update-user': {
    operationId: 'updateUser',
    summary: 'Change the name or the picture',
    body: z.object({ name: text('What others see.', 'Ann').optional(), image: image.optional() }),
    answer: done,
    cookies: true,
  },
  'POST /change-password': {
    operationId: 'changePassword',
    summary: 'Change the password',
    description: 'All other sessions of the user end with it.',
    body: z.object({ currentPassword: password, newPassword: password }),
    answer: signedIn.extend({ token: signedIn.shape.token.nullable() }).describe('The session that goes on.'),
    cookies: true,
  },
  'POST /verify-password': {
    operationId: 'verifyPassword',
    summary: 'Say the password again',
    body: byPassword,
    answer: done,
  },
  'POST /two-factor/enable': {
    operationId: 'enableTwoFactor',
    summary: 'Begin to set up a second factor',
    description: 'It is on once `verify-totp` has taken a code.',
    body: byPassword.extend({ issuer: z.string().optional(), method: z.literal('totp').optional() }),
    answer: z
      .object({
        method: z.literal('totp'),
        totpURI: text('For the app, as a QR code.', 'otpauth://totp/Parlance:ann@example.com?secret=…'),
        backupCodes,
      })
      .describe('What the app takes, and codes for when it is lost.'),
  },
  'POST /two-factor/disable': {
    operationId: 'disableTwoFactor',
    summary: 'Turn the second factor off',
    body: byPassword,
    answer: done,
    cookies: true,
  },
  'POST /two-factor/get-totp-uri': {
    operationId: 'getTotpUri',
    summary: 'What the app takes, again',
    body: byPassword,
    answer: z
      .object({ totpURI: text('For the app, as a QR code.', 'otpauth://totp/Parlance:ann@example.com?secret=…') })
      .describe('The address.'),
  },
  'POST /two-factor/generate-backup-codes': {
    operationId: 'generateBackupCodes',
    summary: 'New backup codes; the old ones end',
    body: byPassword,
    answer: z.object({ status: z.literal(true), backupCodes }).describe('The codes, shown this once.'),
  },
  'POST /two-factor/verify-totp': {
    operationId: 'verifyTotp',
    summary: "Finish a sign-in, or the setting up, with the app's code",
    body: z.object({ code, trustDevice: z.boolean().optional() }),
    answer: signedIn.describe('Signed in.'),
    cookies: true,
    open: true,
  },
  'POST /two-factor/verify-backup-code': {
    operationId: 'verifyBackupCode',
    summary: 'Finish a sign-in with a backup code',
    body: z.object({
      code: text('A backup code.', 'kX3fN-2mQ8z'),
      trustDevice: z.boolean().optional(),
      disableSession: z.boolean().optional(),
    }),
    answer: signedIn.describe('Signed in.'),
    cookies: true,
    open: true,
  },
  'GET /ok': {
    operationId: 'ok',
    summary: 'Whether accounts can be asked',
    answer: z.object({ ok: z.literal(true) }).describe('They can.'),
    open: true,
  },
  'POST /organization/create': {
    operationId: 'createOrganization',
    summary: 'Make an organization, and become its owner',
    body: z.object({
      name: Organization.shape.name,
      slug: Organization.shape.slug,
      logo: z.string().nullable().optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
      keepCurrentActiveOrganization: z.boolean().optional(),
    }),
    answer: Organization.extend({ members: z.array(Member) }).describe('The organization; it is active now.'),
    cookies: true,
  },
  'POST /organization/update': {
    operationId: 'updateOrganization',
    summary: 'Change an organization',
    body: z.object({
      organizationId,
      data: z.object({
        name: Organization.shape.name.optional(),
        slug: Organization.shape.slug.optional(),
        logo: z.string().nullable().optional(),
        metadata: z.record(z.string(), z.unknown()).nullable().optional(),
      }),
    }),
    answer: Organization.nullable().describe('As it is now.'),
  },
  'POST /organization/delete': {
    operationId: 'deleteOrganization',
    summary: 'Delete an organization',
    description: 'Takes the role owner. Its folder is moved away on the server, not erased.',
    body: z.object({ organizationId: id('organization') }),
    answer: Organization.describe('What was deleted.'),
    cookies: true,
  },
  'POST /organization/check-slug': {
    operationId: 'checkSlug',
    summary: 'Whether a slug is free',
    body: z.object({ slug: Organization.shape.slug }),
    answer: z.object({ status: z.literal(true) }).describe('It is.'),
  },
  'POST /organization/set-active': {
    operationId: 'setActiveOrganization',
    summary: "Choose the organization that the session's requests are about",
    body: z.object({ organizationId: id('organization').nullable().optional(), organizationSlug }),
    answer: Organization.nullable().describe('The organization.'),
    cookies: true,
  },
  'GET /organization/list': {
    operationId: 'listOrganizations',
    summary: 'The organizations of the user',
    answer: z.array(Organization).describe('Those that the user belongs to.'),
  },
  'GET /organization/get-organization': {
    operationId: 'getOrganization',
    summary: 'One organization',
    query: which,
    answer: Organization.nullable().describe('Null where none is active.'),
  },
  'GET /organization/get-full-organization': {
    operationId: 'getFullOrganization',
    summary: 'One organization with its members and invitations',
    description: 'Invitations are told to owners and admins alone.',
    query: which.extend({ membersLimit: z.int().optional().describe('Most members in the answer.') }),
    answer: Organization.extend({ members: z.array(MemberWithUser), invitations: z.array(Invitation) })
      .nullable()
      .describe('Null where none is active.'),
  },
  'POST /organization/invite-member': {
    operationId: 'inviteMember',
    summary: 'Invite somebody',
    description:
      'Takes the role owner or admin. Nothing is mailed: hand `url` on yourself. Who has no account makes one by a POST to it; then, or with an ' +
      'account that there is already, `accept-invitation` takes the id.',
    body: z.object({ email, role, organizationId, resend: z.boolean().optional() }),
    answer: Invitation.extend({
      url: text(
        'Where the invited make their account, by a POST of name, email and password: a path of this server, or a whole address where `BASE_URL` is set.',
        'https://parlance.example.com/api/auth/sign-up/email?invitation=HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS',
      ),
    }).describe('The invitation.'),
  },
  'POST /organization/cancel-invitation': {
    operationId: 'cancelInvitation',
    summary: 'Withdraw an invitation',
    body: invitation,
    answer: Invitation.nullable().describe('The invitation.'),
  },
  'POST /organization/accept-invitation': {
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation',
    body: invitation,
    answer: z
      .object({ invitation: Invitation, member: Member })
      .describe('The membership; its organization is active now.'),
    cookies: true,
  },
  'POST /organization/reject-invitation': {
    operationId: 'rejectInvitation',
    summary: 'Turn an invitation down',
    body: invitation,
    answer: z.object({ invitation: Invitation.nullable(), member: z.null() }).describe('The invitation.'),
  },
  'GET /organization/get-invitation': {
    operationId: 'getInvitation',
    summary: 'One invitation of the user',
    query: z.object({ id: id('invitation') }),
    answer: Invitation.extend({
      organizationName: text('Of the organization.', 'Acme'),
      organizationSlug: text('Likewise.', 'acme'),
      inviterEmail: email,
    }).describe('The invitation.'),
  },
  'GET /organization/list-invitations': {
    operationId: 'listInvitations',
    summary: 'The invitations of an organization',
    description: 'Takes the role owner or admin.',
    query: which.pick({ organizationId: true }),
    answer: z.array(Invitation).describe('All, whatever became of them.'),
  },
  'GET /organization/list-user-invitations': {
    operationId: 'listUserInvitations',
    summary: 'The invitations that wait for the user',
    answer: z
      .array(Invitation.extend({ organizationName: text('Of the organization.', 'Acme').optional() }))
      .describe('Those to their address.'),
  },
  'GET /organization/list-members': {
    operationId: 'listMembers',
    summary: 'The members of an organization',
    query: which.extend({
      limit: z.int().min(1).max(100).optional().describe('Most rows; all by default.'),
      offset: z.int().min(0).optional().describe('How many rows to leave out first.'),
      sortBy: z.enum(['createdAt', 'id', 'role', 'userId']).optional().describe('What they are sorted by.'),
      sortDirection: z.enum(['asc', 'desc']).optional().describe('Upwards or downwards.'),
      filterField: z
        .enum(['id', 'role', 'userId'])
        .optional()
        .describe('Only members of whom this fits `filterValue`.'),
      filterOperator: z
        .enum(['eq', 'ne', 'contains', 'starts_with', 'ends_with'])
        .optional()
        .describe('How it is compared; `eq` by default.'),
      filterValue: z.string().optional().describe('What it is compared with.'),
    }),
    answer: z
      .object({ members: z.array(MemberWithUser), total: z.int().meta({ examples: [1] }) })
      .describe('A page of members, and how many there are.'),
  },
  'GET /organization/get-active-member': {
    operationId: 'getActiveMember',
    summary: "The user's own membership of the active organization",
    answer: MemberWithUser.describe('The membership.'),
  },
  'GET /organization/get-active-member-role': {
    operationId: 'getActiveMemberRole',
    summary: "A member's role",
    query: which.extend({ userId: id('user; oneself by default').optional() }),
    answer: z.object({ role: z.string().meta({ examples: ['admin'] }) }).describe('The role.'),
  },
  'POST /organization/remove-member': {
    operationId: 'removeMember',
    summary: 'Remove a member',
    body: z.object({ memberIdOrEmail: email, organizationId }),
    answer: z.object({ member: z.union([MemberWithUser, Member]) }).describe('Who was removed.'),
    cookies: true,
  },
  'POST /organization/update-member-role': {
    operationId: 'updateMemberRole',
    summary: "Change a member's role",
    body: z.object({ memberId: id('membership'), role, organizationId }),
    answer: z.union([MemberWithUser, Member]).describe('The membership.'),
  },
  'POST /organization/leave': {
    operationId: 'leaveOrganization',
    summary: 'Leave an organization',
    body: z.object({ organizationId: id('organization') }),
    answer: z.union([MemberWithUser, Member]).describe('The membership that is over.'),
    cookies: true,
  },
  'POST /organization/has-permission': {
    operationId: 'hasPermission',
    summary: "Whether the user's role allows something in better-auth's terms",
    body: z.object({
      permissions: z.record(z.string(), z.array(z.string())).meta({ examples: [{ member: ['create'] }] }),
      organizationId,
    }),
    answer: z.object({ error: z.null(), success: z.boolean() }).describe('Whether it does.'),
  },
}

/** The route to which the provider sends the browser back, the only one that answers with a redirection. */
const CALLBACK: Described = {
  method: 'GET',
  url: '/api/auth/callback/oidc',
  schema: {
    operationId: 'finishByProvider',
    tags: ['Authentication'],
    summary: 'Where the OpenID provider sends the browser back',
    security: [],
    querystring: z.object({
      code: text('What the provider gave.', 'SplxlOBeZQQYbYS6WxSbIA').optional(),
      state: text('What the sign-in began with.', 'af0ifjsldkj').optional(),
      error: text('Why there is no code.', 'access_denied').optional(),
    }),
    response: {
      ...refusals,
      302: { description: 'On to the page that was asked for.', headers: ['Location', 'Set-Cookie'] },
    },
  },
}

/** The routes with what is told of them. @param oidc whether there is an OpenID provider */
export function authOperations(oidc: boolean): Described[] {
  const told = Object.entries(OPERATIONS)
    .filter(([, operation]) => oidc || !operation.oidc)
    .map(([route, operation]) => {
      const [method = '', path = ''] = route.split(' ')
      return { method, url: `/api/auth${path}`, schema: schemaOf(path, operation) }
    })
  return oidc ? [...told, CALLBACK] : told
}

function schemaOf(path: string, { query, answer: told, cookies, leads, open, ...operation }: Told): RouteSchema {
  const { operationId, summary, description, body } = operation
  return {
    operationId,
    tags: [path.startsWith('/organization/') ? 'Organizations' : 'Authentication'],
    summary,
    ...(description && { description }),
    security: open ? [{}, { session: [] }] : [{ session: [] }],
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: {
      ...refusals,
      200: answer(told, ...(cookies ? ['Set-Cookie' as const] : []), ...(leads ? ['Location' as const] : [])),
    },
  }
}
