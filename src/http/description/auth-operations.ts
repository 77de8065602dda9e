/** Describes the routes under `/api/auth`: better-auth's own document says little of the answers. */
import { z } from 'zod'
import { ROUTES } from '../../auth/routes.ts'
import type { RequestShape } from '../../auth/validate-request.ts'
import { answer, like, text } from '../requests/shapes.ts'
import type { Described, RouteSchema } from './api-document.ts'
import { AUTH_DESCRIPTIONS } from './auth-descriptions.ts'
import { membersOf } from './auth-inputs.ts'
import * as shape from './auth-shapes.ts'

interface Operation {
  summary: string
  /** By default the path's last part in camel case; with the part before it, if that is one word. */
  operationId?: string
  description?: string
  /** The body of the 200. */
  answer: z.ZodType
  /** Whether the answer begins or ends a session. */
  cookies?: true
  /** Whether strangers may call it. */
  open?: true
}

/** An operation that needs a session. @param words describe the answer */
const route = (summary: string, words: string, answer: z.ZodType, more: Partial<Operation> = {}): Operation => ({
  summary,
  answer: answer.describe(words),
  ...more,
})
/** The same; its answer begins or ends a session. */
const turns = (...given: Parameters<typeof route>): Operation => ({ ...route(...given), cookies: true })
/** The same, for strangers too. */
const opens = (...given: Parameters<typeof route>): Operation => ({ ...turns(...given), open: true })

const OPERATIONS: Record<string, Operation> = {
  'POST /sign-up/email': opens('Create an account, and sign in to it', 'The account, signed in.', shape.mayBeSignedIn, {
    operationId: 'signUp',
    description:
      'Where the server admits invited people only (`SIGN_UP=invite`), the id of the invitation comes along: in the ' +
      'header `x-invitation`, as `?invitation=`, or as a member of the body.',
  }),
  'POST /sign-in/email': opens(
    'Sign in with a password',
    'Signed in, or waiting for the code.',
    shape.signedInOrWaiting,
    {
      operationId: 'signIn',
      description: 'A user with a second factor gets `twoFactorRedirect`, and sends the code to `verify-totp` next.',
    },
  ),
  'POST /sign-in/social': opens('Begin to sign in by the OpenID provider', 'Where to go.', shape.toProvider, {
    operationId: 'signInByProvider',
  }),
  'POST /link-social': turns(
    'Begin to sign in to the same account by the OpenID provider too',
    'Where to go.',
    shape.toProvider,
    { operationId: 'linkProvider' },
  ),
  'POST /sign-out': opens('End this session', 'Signed out.', z.object({ success: z.boolean() })),
  'GET /get-session': opens('Who is signed in', 'Null without a session.', shape.WhoIsSignedIn),
  'GET /list-sessions': route('All sessions of the user', 'Those that are not over.', z.array(shape.Session)),
  'POST /revoke-session': route('End one session of the user', 'Done.', shape.ok),
  'POST /revoke-sessions': turns('End all sessions of the user', 'Done.', shape.ok),
  'POST /revoke-other-sessions': route('End all sessions of the user but this one', 'Done.', shape.ok),
  'GET /list-accounts': route('How the user can sign in', 'A password, a provider, or both.', z.array(shape.Account)),
  'POST /update-user': turns('Change the name or the picture', 'Done.', shape.ok),
  'POST /change-password': turns('Change the password', 'The session that goes on.', shape.mayBeSignedIn, {
    description: 'All other sessions of the user end with it.',
  }),
  'POST /verify-password': route('Say the password again', 'Done.', shape.ok),
  'POST /two-factor/enable': route(
    'Begin to set up a second factor',
    'The address for the authenticator app, and backup codes.',
    z.object({ method: z.literal('totp'), totpURI: shape.totpURI, backupCodes: shape.backupCodes }),
    { description: 'It is on after `verify-totp` accepted a code.' },
  ),
  'POST /two-factor/disable': turns('Turn the second factor off', 'Done.', shape.ok),
  'POST /two-factor/get-totp-uri': route(
    'The address for the authenticator app, again',
    'The address.',
    z.object({ totpURI: shape.totpURI }),
  ),
  'POST /two-factor/generate-backup-codes': route(
    'New backup codes; the old ones end',
    'The codes, shown this once.',
    shape.ok.extend({ backupCodes: shape.backupCodes }),
  ),
  'POST /two-factor/verify-totp': opens(
    "Finish a sign-in, or the setting up, with the app's code",
    'Signed in.',
    shape.signedIn,
  ),
  'POST /two-factor/verify-backup-code': opens('Finish a sign-in with a backup code', 'Signed in.', shape.signedIn),
  'GET /ok': {
    ...route('Whether accounts can be asked', 'They can.', z.object({ ok: z.literal(true) })),
    open: true,
  },
  'POST /organization/create': turns(
    'Create an organization, and become its owner',
    'The organization; it is active now.',
    shape.Organization.extend({ members: z.array(shape.Member) }),
  ),
  'POST /organization/update': route('Change an organization', 'As it is now.', shape.Organization.nullable()),
  'POST /organization/delete': turns('Delete an organization', 'What was deleted.', shape.Organization, {
    description: 'Needs the role owner. Its folder is moved away on the server, not erased.',
  }),
  'POST /organization/check-slug': route('Whether a slug is free', 'It is.', shape.ok),
  'POST /organization/set-active': turns(
    "Choose the organization that the session's requests are about",
    'The organization.',
    shape.Organization.nullable(),
    { operationId: 'setActiveOrganization' },
  ),
  'GET /organization/list': route(
    'The organizations of the user',
    'Those that the user belongs to.',
    z.array(shape.Organization),
    { operationId: 'listOrganizations' },
  ),
  'GET /organization/get-organization': route(
    'One organization',
    'Null where none is active.',
    shape.Organization.nullable(),
  ),
  'GET /organization/get-full-organization': route(
    'One organization with its members and invitations',
    'Null where none is active.',
    shape.Organization.extend({
      members: z.array(shape.MemberWithUser),
      invitations: z.array(shape.Invitation),
    }).nullable(),
    { description: 'Only owners and admins see invitations.' },
  ),
  'POST /organization/invite-member': route('Invite a person', 'The invitation.', shape.InvitationMade, {
    description:
      'Needs the role owner or admin. With `rights`, which only the role member can have, the person may write only in the ' +
      'languages that they name. The server sends no mail: pass `url` on yourself. A person without an account creates one by a POST to it. ' +
      'Then `accept-invitation` accepts the id, also of a person with an account.',
  }),
  'POST /organization/cancel-invitation': route(
    'Withdraw an invitation',
    'The invitation.',
    shape.Invitation.nullable(),
  ),
  'POST /organization/accept-invitation': turns(
    'Accept an invitation',
    'The membership; its organization is active now.',
    z.object({ invitation: shape.Invitation, member: shape.Member }),
  ),
  'POST /organization/reject-invitation': route(
    'Turn an invitation down',
    'The invitation.',
    z.object({ invitation: shape.Invitation.nullable(), member: z.null() }),
  ),
  'GET /organization/get-invitation': route('One invitation of the user', 'The invitation.', shape.InvitationOfUser),
  'GET /organization/list-invitations': route(
    'The invitations of an organization',
    'Pending, accepted, rejected and withdrawn ones.',
    z.array(shape.Invitation),
    { description: 'Needs the role owner or admin.' },
  ),
  'GET /organization/list-user-invitations': route(
    'The invitations that wait for the user',
    'Those to their address.',
    z.array(shape.Invitation.extend({ organizationName: shape.organizationName.optional() })),
  ),
  'GET /organization/list-members': route(
    'The members of an organization',
    'A page of members, and how many there are.',
    z.object({ members: z.array(shape.MemberWithUser), total: like(z.int(), 1) }),
  ),
  'GET /organization/get-active-member': route(
    "The user's own membership of the active organization",
    'The membership.',
    shape.MemberWithUser,
  ),
  'GET /organization/get-active-member-role': route(
    "A member's role",
    'The role.',
    z.object({ role: like(z.string(), 'admin') }),
  ),
  'POST /organization/remove-member': turns(
    'Remove a member',
    'Who was removed.',
    z.object({ member: shape.anyMember }),
  ),
  'POST /organization/update-member-role': route("Change a member's role", 'The membership.', shape.anyMember),
  'POST /organization/leave': turns('Leave an organization', 'The membership that is over.', shape.anyMember),
  'POST /organization/has-permission': route(
    "Whether the user's role allows something in better-auth's terms",
    'Whether it does.',
    z.object({ error: z.null(), success: z.boolean() }),
  ),
}

/** Where the provider sends the browser back: the only redirection. */
const CALLBACK: RouteSchema = {
  operationId: 'finishByProvider',
  tags: ['Authentication'],
  summary: 'Where the OpenID provider sends the browser back',
  description: AUTH_DESCRIPTIONS['GET /callback/oidc'],
  security: [],
  querystring: z.object({
    code: text('What the provider gave.', 'SplxlOBeZQQYbYS6WxSbIA').optional(),
    state: text('What the sign-in began with.', 'af0ifjsldkj').optional(),
    error: text('Why there is no code.', 'access_denied').optional(),
  }),
  response: {
    ...shape.refusals,
    200: answer(shape.waiting.describe('Waiting for the code; there is no page to come back to.'), 'Set-Cookie'),
    302: { description: 'A redirect to the requested page.', headers: ['Location', 'Set-Cookie'] },
  },
}

const page = text('Where to go afterwards, on this server.', '/').optional()
const byProvider = z.looseObject({ provider: z.literal('oidc'), callbackURL: page, errorCallbackURL: page })

/** The described routes. @param oidc whether there is an OpenID provider */
export function authOperations(oidc: boolean): Described[] {
  const routes = Object.keys(ROUTES).filter(route => oidc || ROUTES[route]!.limit !== 'oidc')
  return routes.map(route => {
    const [method = '', path = ''] = route.split(' ')
    const operation = OPERATIONS[route]
    return { method, url: `/api/auth${path}`, schema: operation ? schemaOf(method, path, operation) : CALLBACK }
  })
}

function schemaOf(method: string, path: string, { summary, ...operation }: Operation): RouteSchema {
  const description = operation.description ?? AUTH_DESCRIPTIONS[`${method} ${path}`]
  const { limit, body = {}, query = {} } = ROUTES[`${method} ${path}`]!
  // Parlance reads it before better-auth does.
  const own: RequestShape = limit === 'sign-up' ? { 'invitation?': 'text' } : {}
  const [taken, asked] = [membersOf(path, { ...body, ...own }), membersOf(path, { ...query, ...own })]
  const headers = [
    ...(operation.cookies ? (['Set-Cookie'] as const) : []),
    ...(limit === 'oidc' ? (['Location'] as const) : []),
  ]
  return {
    operationId: operation.operationId ?? nameOf(path),
    tags: [path.startsWith('/organization/') ? 'Organizations' : 'Authentication'],
    summary,
    ...(description && { description }),
    security: operation.open ? [{}, { session: [] }] : [{ session: [] }],
    ...(Object.keys(asked).length > 0 && { querystring: z.object(asked) }),
    ...(Object.keys(taken).length > 0 && { body: z.object(taken) }),
    ...(limit === 'oidc' && { body: byProvider }),
    response: { ...shape.refusals, 200: answer(operation.answer, ...headers) },
  }
}

function nameOf(path: string): string {
  const [, group = '', name = group] = path.split('/')
  const whole = name === group || name.includes('-') ? name : `${name}-${group}`
  return whole.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
