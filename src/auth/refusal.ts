/** Answers under /api/auth: the refusals of our own, and better-auth's brought into Parlance's form. */

/** A request that is refused before better-auth sees it; `code` is in better-auth's manner, the message is for the caller. */
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

/** `{ error, code, message }`: `error` as everywhere in Parlance, `code` and `message` as better-auth's clients read them. */
function errorResponse(status: number, code: string, message: string, headers: Headers): Response {
  headers.set('content-type', 'application/json')
  headers.set('cache-control', 'no-store')
  headers.delete('content-length')
  return new Response(JSON.stringify({ error: message, code, message }), { status, headers })
}

/** What stands in for better-auth's answers that carry no words of their own. */
const PLAIN: Record<number, [code: string, message: string]> = {
  401: ['UNAUTHORIZED', 'Sign in first.'],
  403: ['FORBIDDEN', 'You are not allowed to do this.'],
  404: ['NOT_FOUND', 'There is no such route.'],
}

/**
 * better-auth's answer in Parlance's form: errors say `error` beside `code` and `message`, a failure of the server tells nothing of its inside,
 * nothing is stored by caches, and cookies are marked Secure where the request came by https.
 */
export async function inOurForm(response: Response, secure: boolean): Promise<Response> {
  const headers = new Headers(response.headers)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.delete('set-cookie')
  for (const cookie of markSecure(response.headers.getSetCookie(), secure)) headers.append('set-cookie', cookie)
  if (response.status < 400) return new Response(response.body, { status: response.status, headers })
  if (response.status >= 500) return errorResponse(500, 'INTERNAL_SERVER_ERROR', SERVER_FAILED, headers)
  const { code, message } = membersOf(await response.text())
  const [plainCode, plainMessage] = PLAIN[response.status] ?? ['BAD_REQUEST', 'The request is malformed.']
  if (response.status === 429 && !headers.has('retry-after')) headers.set('retry-after', LONGEST_LOCK)
  const status = response.status === 401 && DENIED.test(String(code)) ? 403 : response.status
  return errorResponse(
    status,
    typeof code === 'string' ? code : plainCode,
    WORDS[String(code)] ?? (typeof message === 'string' && message !== '' ? message : plainMessage),
    headers,
  )
}

/** What says more than better-auth's own words, by its code. */
const WORDS: Record<string, string> = {
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

/** Seconds that better-auth closes a second factor for; it does not say how many of them are left. */
const LONGEST_LOCK = '900'

/** better-auth says 401 in some of the places where a member's role does not suffice; signing in again would not help there. */
const DENIED = /^(YOU_ARE_NOT_ALLOWED|USER_IS_NOT_A_MEMBER)/

/** What a caller hears when the server itself failed; the reason goes to the log. */
export const SERVER_FAILED = 'The server failed to answer this; its log says why.'

/** The same where a second factor is in question: it is encrypted with the secret of the server, which may have changed. */
export const SECOND_FACTOR_UNREADABLE =
  'The second factor of this account cannot be read, as after a change of the secret of the server: ask its operator to reset it.'

/** Cookies as they leave by https: better-auth is kept from deciding it, since it would from the environment and not from the request. */
export function markSecure(cookies: string[], secure: boolean): string[] {
  return secure ? cookies.map(cookie => `${cookie}; Secure`) : cookies
}

function membersOf(text: string): { code?: unknown; message?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
