/** What answers under `/api/auth` hold, refusals among them. */
import { z } from 'zod'
import { RightsShape } from '../requests/rights-shape.ts'
import { type Answer, component, failures, like, text, time } from '../requests/shapes.ts'

const id = (of: string) => text(`The id of the ${of}.`, 'HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS')
export const email = text('An e-mail address.', 'ann@example.com')
export const role = z.enum(['owner', 'admin', 'member'])
/** What a member is. */
const roles = like(
  z
    .string()
    .regex(/^(owner|admin|member)(,(owner|admin|member))*$/)
    .describe('`owner`, `admin` or `member`, or several of them with commas between.'),
  'member',
)

const rights = RightsShape.nullable().describe(
  'What a plain member may do by language; null for all of it. They narrow no owner or admin.',
)

const User = component('User', {
  id: id('user'),
  name: text('What others see.', 'Ann'),
  email,
  emailVerified: z.boolean(),
  image: like(z.string().nullable().describe('The address of a picture.'), null),
  createdAt: time,
  updatedAt: time,
  twoFactorEnabled: z.boolean().describe('Whether signing in needs a code too.'),
})
/** The session that a sign-in creates. */
export const Session = component('Session', {
  id: id('session'),
  token: text('The input of `revoke-session`.', 'PfLZBREtzGuwPiM1rJsXwMuOtN9TWMoW'),
  userId: id('user'),
  createdAt: time,
  updatedAt: time,
  expiresAt: time,
  ipAddress: like(z.string().nullable(), '203.0.113.7'),
  userAgent: like(z.string().nullable(), 'Mozilla/5.0'),
  activeOrganizationId: id('organization that its requests are about').nullable(),
})
export const Organization = component('Organization', {
  id: id('organization'),
  name: text('What people see.', 'Acme'),
  slug: text('Unique on the server.', 'acme'),
  logo: z.string().nullable().optional(),
  createdAt: time,
  metadata: z.unknown().optional().describe('Data stored with it.'),
})
export const Member = component('Member', {
  id: id('membership'),
  organizationId: id('organization'),
  userId: id('user'),
  role: roles,
  rights,
  createdAt: time,
})
export const MemberWithUser = Member.extend({
  user: User.pick({ id: true, name: true, email: true, image: true }),
}).meta({
  id: 'MemberWithUser',
})
export const anyMember = z.union([MemberWithUser, Member])
export const ok = z.object({ status: z.literal(true) })
/** An invitation in any state. */
export const Invitation = component('Invitation', {
  id: id('invitation; it lets one in'),
  organizationId: id('organization'),
  email,
  role: roles,
  rights: rights.describe('The rights of the membership to come; null for all that the role may do.'),
  status: z.enum(['pending', 'accepted', 'rejected', 'canceled']),
  expiresAt: time,
  createdAt: time,
  inviterId: id('user who invited'),
})
export const InvitationMade = Invitation.extend({
  url: text(
    'Invited people create their account by a POST of name, email and password to it: a path of this server, or a whole address if `BASE_URL` is set.',
    'https://parlance.example.com/api/auth/sign-up/email?invitation=HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS',
  ),
})
export const organizationName = text('Of the organization.', 'Acme')
/** An invitation with what the invited person sees. */
export const InvitationOfUser = Invitation.extend({
  organizationName,
  organizationSlug: text('Likewise.', 'acme'),
  inviterEmail: email,
})
export const Account = component('Account', {
  id: id('account'),
  accountId: id('user at the provider'),
  providerId: text('`credential` is the password.', 'credential'),
  userId: id('user'),
  scopes: like(z.array(z.string()), []),
  createdAt: time,
  updatedAt: time,
})
export const signedIn = z.object({ token: text('Of the session.', 'PfLZBREtzGuwPiM1rJsXwMuOtN9TWMoW'), user: User })
/** The same, perhaps without a session. */
export const mayBeSignedIn = signedIn.extend({ token: signedIn.shape.token.nullable() })
export const waiting = z.object({
  twoFactorRedirect: z.literal(true),
  twoFactorMethods: like(z.array(z.string()), ['totp']),
})
export const signedInOrWaiting = z.union([
  signedIn.extend({ redirect: z.boolean(), url: z.string().optional() }),
  waiting,
])
export const WhoIsSignedIn = z.object({ session: Session, user: User }).nullable()
/** What signs in without the app. */
export const backupCodes = z.array(text('Works once.', 'kX3fN-2mQ8z'))
export const totpURI = text('For the app, as a QR code.', 'otpauth://totp/Parlance:ann@example.com?secret=…')
/** Where a sign-in by the provider begins. */
export const toProvider = z.object({
  url: text('Where to send the browser.', 'https://id.example.com/authorize'),
  redirect: z.boolean(),
})

const AuthError = component('AuthError', {
  error: text('One sentence that says what is wrong.', 'The e-mail address or the password is wrong.'),
  code: text(
    "better-auth's name for it; absent where it did not see the request.",
    'INVALID_EMAIL_OR_PASSWORD',
  ).optional(),
  message: text('The same sentence as `error`, likewise.', 'The e-mail address or the password is wrong.').optional(),
})

function withCode([status, answer]: [string, Answer]): [string, Answer] {
  const headers = status === '429' || status === '503' ? (['Retry-After'] as const) : []
  return [status, { ...answer, ...(answer.name && { name: `Auth${answer.name}` }), body: AuthError, headers }]
}
const failed = {
  ...failures('invalid', 'unauthenticated', 'forbidden', 'not-found', 'conflict', 'too-large', 'unsupported-media'),
  ...failures('unfit', 'too-many', 'unavailable', 'no-space'),
  500: { name: 'Failed', description: 'The server failed; its log says why.' },
}
/** The error answers of all these routes. */
export const refusals = Object.fromEntries(Object.entries(failed).map(withCode))
