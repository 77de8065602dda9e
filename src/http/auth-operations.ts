/**
 * Describes the routes under `/api/auth`: better-auth's document says little of the answers. `auth/routes.ts` checks
 * their input, whose meaning is told here.
 */
import { z } from 'zod'
import { DATA, type Kind, type Shape } from '../auth/asked.ts'
import { ROUTES } from '../auth/routes.ts'
import type { Described, RouteSchema } from './api-document.ts'
import { type Answer, answer, failures, text, time } from './shapes.ts'

const like = <T extends z.ZodType>(type: T, ...examples: [unknown]): T => type.meta({ examples }) as T
const id = (of: string) => text(`The id of the ${of}.`, 'HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS')
const email = text('An e-mail address.', 'ann@example.com')
const role = z.enum(['owner', 'admin', 'member'])

const User = z
  .object({
    id: id('user'),
    name: text('What others see.', 'Ann'),
    email,
    emailVerified: z.boolean(),
    image: like(z.string().nullable().describe('The address of a picture.'), null),
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
    ipAddress: like(z.string().nullable(), '203.0.113.7'),
    userAgent: like(z.string().nullable(), 'Mozilla/5.0'),
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
const anyMember = z.union([MemberWithUser, Member])
const ok = z.object({ status: z.literal(true) })
const done = ok.describe('Done.')
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
const organizationName = text('Of the organization.', 'Acme')
const Account = z
  .object({
    id: id('account'),
    accountId: id('user at the provider'),
    providerId: text('`credential` is the password.', 'credential'),
    userId: id('user'),
    scopes: like(z.array(z.string()), []),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Account' })
const signedIn = z.object({ token: text('Of the session.', 'PfLZBREtzGuwPiM1rJsXwMuOtN9TWMoW'), user: User })
const mayBeSignedIn = signedIn.extend({ token: signedIn.shape.token.nullable() })
const backupCodes = z.array(text('Works once.', 'kX3fN-2mQ8z'))
const totpURI = text('For the app, as a QR code.', 'otpauth://totp/Parlance:ann@example.com?secret=…')
const toProvider = z.object({
  url: text('Where to send the browser.', 'https://id.example.com/authorize'),
  redirect: z.boolean(),
})

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

function withCode([status, answer]: [string, Answer]): [string, Answer] {
  const headers = status === '429' || status === '503' ? (['Retry-After'] as const) : []
  return [status, { ...answer, ...(answer.name && { name: `Auth${answer.name}` }), body: AuthError, headers }]
}
const failed = {
  ...failures('invalid', 'unauthenticated', 'forbidden', 'not-found', 'conflict', 'too-large', 'unsupported-media'),
  ...failures('unfit', 'too-many', 'unavailable', 'no-space'),
  500: { name: 'Failed', description: 'The server failed; its log says why.' },
}
const refusals = Object.fromEntries(Object.entries(failed).map(withCode))

const PASSWORD: Meaning = ['8 to 128 characters.', 'correct horse battery']
const OF_ORGANIZATION: Meaning = ['The id of the organization.', 'HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS']
const NAME_OF_ORGANIZATION: Meaning = ['What people see.', 'Acme']
type Meaning = [description: string, example?: unknown]

/** The meaning of a member by name, or by path and name where it differs. */
const MEANINGS: Record<string, Meaning> = {
  name: ['What others see.', 'Ann'],
  email: ['An e-mail address.', 'ann@example.com'],
  password: PASSWORD,
  currentPassword: PASSWORD,
  newPassword: PASSWORD,
  image: ['The address of a picture.', null],
  code: ['The six digits that the app shows now.', '123456'],
  '/two-factor/verify-backup-code code': ['A backup code.', 'kX3fN-2mQ8z'],
  token: ['What `revoke-session` takes.', 'PfLZBREtzGuwPiM1rJsXwMuOtN9TWMoW'],
  disableCookieCache: ['Has no effect: there is no such cache.'],
  disableRefresh: ['`true`: the session is not made to last longer.'],
  '/organization/create name': NAME_OF_ORGANIZATION,
  '/organization/update name': NAME_OF_ORGANIZATION,
  slug: ['Unique on the server.', 'acme'],
  organizationId: ['The id of the organization; the active one by default.', OF_ORGANIZATION[1]],
  '/organization/delete organizationId': OF_ORGANIZATION,
  '/organization/leave organizationId': OF_ORGANIZATION,
  '/organization/set-active organizationId': OF_ORGANIZATION,
  organizationSlug: ['In place of its id.', 'acme'],
  invitation: ['The id of the invitation.', OF_ORGANIZATION[1]],
  invitationId: ['The id of the invitation.', OF_ORGANIZATION[1]],
  id: ['The id of the invitation.', OF_ORGANIZATION[1]],
  memberId: ['The id of the membership.', OF_ORGANIZATION[1]],
  memberIdOrEmail: ['An e-mail address.', 'ann@example.com'],
  userId: ['The id of the user; oneself by default.', OF_ORGANIZATION[1]],
  permissions: ["Rights in better-auth's terms.", { member: ['create'] }],
  membersLimit: ['Most members in the answer.'],
  limit: ['Most rows; all by default.'],
  offset: ['How many rows to leave out first.'],
  sortBy: ['What they are sorted by.'],
  sortDirection: ['Upwards or downwards.'],
  filterField: ['Only members of whom this fits `filterValue`.'],
  filterOperator: ['How it is compared; `eq` by default.'],
  filterValue: ['What it is compared with.'],
}

const TYPES: Record<Exclude<Kind, 'organization' | readonly string[]>, z.ZodType> = {
  text: z.string(),
  'some text': z.string(),
  'new password': z.string(),
  'text or null': z.string().nullable(),
  role,
  roles: role,
  flag: z.boolean(),
  count: z.int().min(0),
  page: z.int().min(1).max(100),
  object: z.record(z.string(), z.unknown()),
  rights: z.record(z.string(), z.array(z.string())),
}

function membersOf(path: string, shape: Shape): z.ZodRawShape {
  const members = Object.entries(shape).map(([key, kind]) => {
    const name = key.replace('?', '')
    const [description, ...example] = MEANINGS[`${path} ${name}`] ?? MEANINGS[name] ?? []
    let type = typeOf(path, kind)
    if (description !== undefined) type = type.describe(description)
    if (example.length > 0) type = type.meta({ examples: example })
    return [name, name === key ? type : type.optional()]
  })
  return Object.fromEntries(members)
}

function typeOf(path: string, kind: Kind): z.ZodType {
  if (typeof kind === 'object') return kind.length === 1 ? z.literal(kind[0]!) : z.enum(kind)
  return kind === 'organization' ? z.object(membersOf(path, DATA)) : TYPES[kind]
}

interface Told extends More {
  summary: string
  /** The body of the 200. */
  answer: z.ZodType
}

interface More {
  /** By default the path's last part in camel case; with the part before it, if that is one word. */
  operationId?: string
  description?: string
  /** Whether the answer begins or ends a session. */
  cookies?: boolean
  /** Whether strangers may call it. */
  open?: boolean
}

const told = (summary: string, answer: z.ZodType, more: More = {}): Told => ({ summary, answer, ...more })

const OPERATIONS: Record<string, Told> = {
  'POST /sign-up/email': told('Make an account, and sign in to it', mayBeSignedIn.describe('The account, signed in.'), {
    operationId: 'signUp',
    description:
      'Where the server admits invited people only (`SIGN_UP=invite`), the id of the invitation comes along: in the ' +
      'header `x-invitation`, as `?invitation=`, or as a member of the body.',
    cookies: true,
    open: true,
  }),
  'POST /sign-in/email': told(
    'Sign in with a password',
    z
      .union([
        signedIn.extend({ redirect: z.boolean(), url: z.string().optional() }),
        z.object({ twoFactorRedirect: z.literal(true), twoFactorMethods: z.array(z.string()) }),
      ])
      .describe('Signed in, or waiting for the code.'),
    {
      operationId: 'signIn',
      description: 'Whoever has a second factor gets `twoFactorRedirect`, and sends the code to `verify-totp` next.',
      cookies: true,
      open: true,
    },
  ),
  'POST /sign-in/social': told('Begin to sign in by the OpenID provider', toProvider.describe('Where to go.'), {
    operationId: 'signInByProvider',
    cookies: true,
    open: true,
  }),
  'POST /link-social': told(
    'Begin to sign in to the same account by the OpenID provider too',
    toProvider.describe('Where to go.'),
    { operationId: 'linkProvider', cookies: true },
  ),
  'POST /sign-out': told('End this session', z.object({ success: z.boolean() }).describe('Signed out.'), {
    cookies: true,
    open: true,
  }),
  'GET /get-session': told(
    'Who is signed in',
    z.object({ session: Session, user: User }).nullable().describe('Null for whoever is not.'),
    { cookies: true, open: true },
  ),
  'GET /list-sessions': told('All sessions of the user', z.array(Session).describe('Those that are not over.')),
  'POST /revoke-session': told('End one session of the user', done),
  'POST /revoke-sessions': told('End all sessions of the user', done, { cookies: true }),
  'POST /revoke-other-sessions': told('End all sessions of the user but this one', done),
  'GET /list-accounts': told('How the user can sign in', z.array(Account).describe('A password, a provider, or both.')),
  'POST /update-user': told('Change the name or the picture', done, { cookies: true }),
  'POST /change-password': told('Change the password', mayBeSignedIn.describe('The session that goes on.'), {
    description: 'All other sessions of the user end with it.',
    cookies: true,
  }),
  'POST /verify-password': told('Say the password again', done),
  'POST /two-factor/enable': told(
    'Begin to set up a second factor',
    z
      .object({ method: z.literal('totp'), totpURI, backupCodes })
      .describe('What the app takes, and codes for when it is lost.'),
    { description: 'It is on once `verify-totp` has taken a code.' },
  ),
  'POST /two-factor/disable': told('Turn the second factor off', done, { cookies: true }),
  'POST /two-factor/get-totp-uri': told('What the app takes, again', z.object({ totpURI }).describe('The address.')),
  'POST /two-factor/generate-backup-codes': told(
    'New backup codes; the old ones end',
    ok.extend({ backupCodes }).describe('The codes, shown this once.'),
  ),
  'POST /two-factor/verify-totp': told(
    "Finish a sign-in, or the setting up, with the app's code",
    signedIn.describe('Signed in.'),
    { cookies: true, open: true },
  ),
  'POST /two-factor/verify-backup-code': told('Finish a sign-in with a backup code', signedIn.describe('Signed in.'), {
    cookies: true,
    open: true,
  }),
  'GET /ok': told('Whether accounts can be asked', z.object({ ok: z.literal(true) }).describe('They can.'), {
    open: true,
  }),
  'POST /organization/create': told(
    'Make an organization, and become its owner',
    Organization.extend({ members: z.array(Member) }).describe('The organization; it is active now.'),
    { cookies: true },
  ),
  'POST /organization/update': told('Change an organization', Organization.nullable().describe('As it is now.')),
  'POST /organization/delete': told('Delete an organization', Organization.describe('What was deleted.'), {
    description: 'Takes the role owner. Its folder is moved away on the server, not erased.',
    cookies: true,
  }),
  'POST /organization/check-slug': told('Whether a slug is free', ok.describe('It is.')),
  'POST /organization/set-active': told(
    "Choose the organization that the session's requests are about",
    Organization.nullable().describe('The organization.'),
    { operationId: 'setActiveOrganization', cookies: true },
  ),
  'GET /organization/list': told(
    'The organizations of the user',
    z.array(Organization).describe('Those that the user belongs to.'),
    { operationId: 'listOrganizations' },
  ),
  'GET /organization/get-organization': told(
    'One organization',
    Organization.nullable().describe('Null where none is active.'),
  ),
  'GET /organization/get-full-organization': told(
    'One organization with its members and invitations',
    Organization.extend({ members: z.array(MemberWithUser), invitations: z.array(Invitation) })
      .nullable()
      .describe('Null where none is active.'),
    { description: 'Invitations are told to owners and admins alone.' },
  ),
  'POST /organization/invite-member': told(
    'Invite somebody',
    Invitation.extend({
      url: text(
        'Where the invited make their account, by a POST of name, email and password: a path of this server, or a whole address where `BASE_URL` is set.',
        'https://parlance.example.com/api/auth/sign-up/email?invitation=HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS',
      ),
    }).describe('The invitation.'),
    {
      description:
        'Takes the role owner or admin. Nothing is mailed: hand `url` on yourself. Who has no account makes one by a POST to it; then, or with an ' +
        'account that there is already, `accept-invitation` takes the id.',
    },
  ),
  'POST /organization/cancel-invitation': told(
    'Withdraw an invitation',
    Invitation.nullable().describe('The invitation.'),
  ),
  'POST /organization/accept-invitation': told(
    'Accept an invitation',
    z.object({ invitation: Invitation, member: Member }).describe('The membership; its organization is active now.'),
    { cookies: true },
  ),
  'POST /organization/reject-invitation': told(
    'Turn an invitation down',
    z.object({ invitation: Invitation.nullable(), member: z.null() }).describe('The invitation.'),
  ),
  'GET /organization/get-invitation': told(
    'One invitation of the user',
    Invitation.extend({
      organizationName,
      organizationSlug: text('Likewise.', 'acme'),
      inviterEmail: email,
    }).describe('The invitation.'),
  ),
  'GET /organization/list-invitations': told(
    'The invitations of an organization',
    z.array(Invitation).describe('All, whatever became of them.'),
    { description: 'Takes the role owner or admin.' },
  ),
  'GET /organization/list-user-invitations': told(
    'The invitations that wait for the user',
    z.array(Invitation.extend({ organizationName: organizationName.optional() })).describe('Those to their address.'),
  ),
  'GET /organization/list-members': told(
    'The members of an organization',
    z
      .object({ members: z.array(MemberWithUser), total: like(z.int(), 1) })
      .describe('A page of members, and how many there are.'),
  ),
  'GET /organization/get-active-member': told(
    "The user's own membership of the active organization",
    MemberWithUser.describe('The membership.'),
  ),
  'GET /organization/get-active-member-role': told(
    "A member's role",
    z.object({ role: like(z.string(), 'admin') }).describe('The role.'),
  ),
  'POST /organization/remove-member': told(
    'Remove a member',
    z.object({ member: anyMember }).describe('Who was removed.'),
    { cookies: true },
  ),
  'POST /organization/update-member-role': told("Change a member's role", anyMember.describe('The membership.')),
  'POST /organization/leave': told('Leave an organization', anyMember.describe('The membership that is over.'), {
    cookies: true,
  }),
  'POST /organization/has-permission': told(
    "Whether the user's role allows something in better-auth's terms",
    z.object({ error: z.null(), success: z.boolean() }).describe('Whether it does.'),
  ),
}

/** Where the provider sends the browser back: the only redirection. */
const CALLBACK: RouteSchema = {
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
}

const page = text('Where to go afterwards, on this server.', '/').optional()
const byProvider = z.looseObject({ provider: z.literal('oidc'), callbackURL: page, errorCallbackURL: page })

/** The described routes. @param oidc whether there is an OpenID provider */
export function authOperations(oidc: boolean): Described[] {
  const routes = Object.keys(ROUTES).filter(route => oidc || ROUTES[route]!.limit !== 'oidc')
  return routes.map(route => {
    const [method = '', path = ''] = route.split(' ')
    const told = OPERATIONS[route]
    return { method, url: `/api/auth${path}`, schema: told ? schemaOf(method, path, told) : CALLBACK }
  })
}

function schemaOf(method: string, path: string, { summary, description, ...told }: Told): RouteSchema {
  const { limit, body = {}, query = {} } = ROUTES[`${method} ${path}`]!
  // Parlance takes it before better-auth.
  const own: Shape = limit === 'sign-up' ? { 'invitation?': 'text' } : {}
  const [taken, asked] = [membersOf(path, { ...body, ...own }), membersOf(path, { ...query, ...own })]
  const headers = [
    ...(told.cookies ? (['Set-Cookie'] as const) : []),
    ...(limit === 'oidc' ? (['Location'] as const) : []),
  ]
  return {
    operationId: told.operationId ?? nameOf(path),
    tags: [path.startsWith('/organization/') ? 'Organizations' : 'Authentication'],
    summary,
    ...(description && { description }),
    security: told.open ? [{}, { session: [] }] : [{ session: [] }],
    ...(Object.keys(asked).length > 0 && { querystring: z.object(asked) }),
    ...(Object.keys(taken).length > 0 && { body: z.object(taken) }),
    ...(limit === 'oidc' && { body: byProvider }),
    response: { ...refusals, 200: answer(told.answer, ...headers) },
  }
}

function nameOf(path: string): string {
  const [, group = '', name = group] = path.split('/')
  const whole = name === group || name.includes('-') ? name : `${name}-${group}`
  return whole.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
