/** Answers under /api/auth: our refusals, and better-auth's answers in Parlance's form. */
import { MOST_MEMBERS, MOST_ORGANIZATIONS, MOST_PENDING_INVITATIONS } from './account-bounds.ts'
import { outerCookies } from './cookies.ts'
import { BASE_PATH } from './mount.ts'

/** A refusal before better-auth sees the request; `code` is in its manner. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly headers: Record<string, string>

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }

  response(): Response {
    return errorResponse(this.status, this.code, this.message, new Headers(this.headers))
  }
}

/** `{ error, code, message }`: `error` as everywhere, the rest for better-auth's clients. */
function errorResponse(status: number, code: string, message: string, headers: Headers): Response {
  headers.set('content-type', 'application/json')
  headers.set('cache-control', 'no-store')
  headers.delete('content-length')
  return new Response(JSON.stringify({ error: message, code, message }), { status, headers })
}

/** Corrects better-auth's answer to a new second factor, with its outdated user and ended session's token. */
export function secondFactorOn(response: Response): Promise<Response> {
  const [, token] = /\.session_token=(\w+)/.exec(response.headers.getSetCookie().join('\n')) ?? []
  return withBody(response, ({ user }) => ({
    ...(token !== undefined && { token }),
    user: { ...(user as object), twoFactorEnabled: true },
  }))
}

/** Adds the address where the invited create their account. @param base this server, without a trailing slash */
export function withUrl(response: Response, base: string): Promise<Response> {
  const sign = `${base}${BASE_PATH}/sign-up/email?invitation=`
  return withBody(response, invitation => ({ ...invitation, url: sign + encodeURIComponent(String(invitation.id)) }))
}

/** A JSON answer with another body; null stays null. */
export async function withBody(
  response: Response,
  change: (members: Record<string, unknown>) => object,
): Promise<Response> {
  const members = JSON.parse(await response.text()) as Record<string, unknown> | null
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  return new Response(JSON.stringify(members && change(members)), { status: response.status, headers })
}

/** Replaces better-auth's answers without words. */
const PLAIN: Record<number, [code: string, message: string]> = {
  401: ['UNAUTHORIZED', 'Sign in first.'],
  403: ['FORBIDDEN', 'You are not allowed to do this.'],
  404: ['NOT_FOUND', 'There is no such route.'],
}

/** What a list says with 400 for a missing session. Other routes say 401, in several words and without a code. */
const NO_SESSION = 'Missing session headers, or email query parameter.'

/**
 * better-auth's answer in Parlance's form: errors have `error` and hide internals, caches store nothing, cookies are
 * for this host alone over https.
 */
export async function inOurForm(response: Response, secure: boolean): Promise<Response> {
  const headers = new Headers(response.headers)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.delete('set-cookie')
  for (const cookie of outerCookies(response.headers.getSetCookie(), secure)) headers.append('set-cookie', cookie)
  if (response.status < 400) return new Response(response.body, { status: response.status, headers })
  if (response.status >= 500) return errorResponse(500, 'INTERNAL_SERVER_ERROR', SERVER_FAILED, headers)
  const { code: named, message } = membersOf(await response.text())
  const code = String(named)
  if ((response.status === 401 && named === undefined) || message === NO_SESSION) {
    return errorResponse(401, ...PLAIN[401]!, headers)
  }
  const [plainCode, plainMessage] = PLAIN[response.status] ?? ['BAD_REQUEST', 'The request is malformed.']
  if (response.status === 429 && !headers.has('retry-after')) headers.set('retry-after', LONGEST_LOCK)
  const denied = response.status === 401 && DENIED.test(code)
  const status = denied ? 403 : CONFLICTS.has(code) ? 409 : response.status
  const words = WORDS[code] ?? plainWords(message) ?? plainMessage
  return errorResponse(status, typeof named === 'string' ? code : plainCode, words, headers)
}

/** Clearer words than better-auth's, by its code. */
const WORDS: Record<string, string> = {
  INVALID_EMAIL: 'The email must be an e-mail address such as ann@example.com.',
  INVALID_EMAIL_OR_PASSWORD: 'The e-mail address or the password is wrong.',
  INVALID_PASSWORD: 'The password is wrong.',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL:
    'There is an account with this e-mail address already: sign in, or use another one.',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: `A user can be a member of ${MOST_ORGANIZATIONS} organizations, and you are: leave or delete one first.`,
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: `This organization has ${MOST_MEMBERS} members, the most that there can be: an owner or admin has to remove one first.`,
  INVITATION_LIMIT_REACHED: `This organization has ${MOST_PENDING_INVITATIONS} pending invitations, the most that there can be: withdraw some first.`,
  ORGANIZATION_ALREADY_EXISTS: 'There is an organization with this slug already: choose another one.',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'There is an organization with this slug already: choose another one.',
  INVALID_CODE: 'This code is wrong, or its time is over: give the one that the app shows now.',
  INVALID_BACKUP_CODE: 'This backup code is wrong, or was used before: each works once.',
  INVALID_TWO_FACTOR_COOKIE:
    'There is no sign-in that waits for a code, or its time is over: sign in with the password first.',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Too many wrong codes: sign in with the password again.',
  ACCOUNT_TEMPORARILY_LOCKED: 'Too many wrong codes for this account: try again in a quarter of an hour.',
  TOTP_NOT_ENABLED: 'This account has no second factor: turn it on first.',
  TOTP_ALREADY_ENABLED: 'This account has a second factor already: turn it off before you set up another one.',
  TWO_FACTOR_NOT_ENABLED: 'This account has no second factor: turn it on first.',
}

/** Seconds that a second factor stays closed at most; better-auth does not say how many are left. */
const LONGEST_LOCK = '900'

/** A sentence as it is, a library's finding about a member in our words, else nothing. */
function plainWords(message: unknown): string | undefined {
  if (typeof message !== 'string' || /^\w*$/.test(message)) return undefined
  const [, field] = /^\[(?:body|query)\.?(\w*)\]/.exec(message) ?? []
  if (field === undefined) return message
  if (field === 'email') return WORDS.INVALID_EMAIL
  return field === '' ? 'The request does not fit.' : `The ${field} does not fit.`
}

/** better-auth says 400 or 403. */
const CONFLICTS = new Set([
  'ORGANIZATION_ALREADY_EXISTS',
  'ORGANIZATION_SLUG_ALREADY_TAKEN',
  'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
  'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
  'INVITATION_LIMIT_REACHED',
])

/** better-auth sometimes says 401 where a role does not suffice. */
const DENIED = /^(YOU_ARE_NOT_ALLOWED|USER_IS_NOT_A_MEMBER)/

/** For callers when the server failed; the reason goes to the log. */
export const SERVER_FAILED = 'The server failed to answer this; its log says why.'

/** The same for a second factor, which an old secret may have encrypted. */
export const SECOND_FACTOR_UNREADABLE =
  'The second factor of this account cannot be read, as after a change of the secret of the server: ask its operator to reset it.'

/** The members of a JSON text; none where it is no object. */
export function membersOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
