/** Sign-in by an OpenID provider: settings, requests to it, and checks of its answers. */
import type { GenericOAuthConfig } from 'better-auth/plugins/generic-oauth'
import { cleanLine } from '../bundle/names.ts'
import { type Actor, currentActor } from './actor.ts'
import { BASE_PATH, CALLBACK, INNER_ORIGIN, PROVIDER } from './mount.ts'
import { membersOf, Refusal } from './refusal.ts'

/** The operator's settings of the provider. */
export interface OidcSettings {
  /** As the provider writes it (OpenID Connect Discovery 1.0, 4.3). */
  issuer: string
  clientId: string
  clientSecret: string
  /** The provider's name for people. */
  name: string
  /** Where browsers find this server, without a trailing slash. */
  baseUrl: string
}

interface Discovered {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  userinfo_endpoint?: string
  token_endpoint_auth_methods_supported?: string[]
  id_token_signing_alg_values_supported: string[]
}

const PATIENCE_MS = 5000
const LONGEST_ANSWER = 2 ** 20

/** Asks the provider for its endpoints. @throws Refusal 503 unless it answers by OpenID Connect Discovery 1.0 */
export async function discover(settings: OidcSettings): Promise<Discovered> {
  const { issuer, name } = settings
  const found = await ask(settings, discoveryUrl(settings), { redirect: 'follow' })
  const names = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
  const isUrl = (value: unknown) =>
    typeof value === 'string' && /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')
  const secure = (value: unknown) => issuer.startsWith('http:') || String(value).startsWith('https:')
  const algorithms = found.id_token_signing_alg_values_supported
  if (
    typeof found.issuer === 'string' &&
    trimmed(found.issuer) === trimmed(issuer) &&
    names.every(name => isUrl(found[name]) && secure(found[name])) &&
    (found.userinfo_endpoint === undefined || (isUrl(found.userinfo_endpoint) && secure(found.userinfo_endpoint))) &&
    Array.isArray(algorithms) &&
    algorithms.length > 0
  ) {
    return found as unknown as Discovered
  }
  throw unfit(name, 'its discovery document is not that of the issuer in OIDC_ISSUER')
}

/** The provider for better-auth's plugin, with our limits on its requests' time and length. */
export function providerConfig(settings: OidcSettings, found: Discovered): GenericOAuthConfig {
  const { clientId, clientSecret, name } = settings
  const redirectURI = `${settings.baseUrl}${BASE_PATH}${CALLBACK}`
  return {
    providerId: PROVIDER,
    name,
    discoveryUrl: discoveryUrl(settings),
    requireIdTokenVerification: true,
    clientId,
    clientSecret,
    redirectURI,
    pkce: true,
    scopes: ['openid', 'email', 'profile'],
    accountSubject: ({ profile }) => String(profile.sub ?? ''),
    getToken: ({ code, codeVerifier }) =>
      explained(async () => {
        const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectURI })
        if (codeVerifier) form.set('code_verifier', codeVerifier)
        const answer = await ask(settings, found.token_endpoint, tokenRequest(form, settings, found))
        if (typeof answer.id_token !== 'string') throw unfit(name, 'it sent no id_token')
        const accessToken = typeof answer.access_token === 'string' ? answer.access_token : undefined
        return { idToken: answer.id_token, ...(accessToken !== undefined && { accessToken }) }
      }),
    // better-auth has verified signature, issuer, audience, time and nonce.
    getUserInfo: ({ idToken, accessToken }) =>
      explained(async () => {
        const claims = membersOf(Buffer.from(idToken?.split('.')[1] ?? '', 'base64url').toString('utf8'))
        checkClaims(claims, settings)
        const described =
          claims.email === undefined && found.userinfo_endpoint && accessToken
            ? await ask(settings, found.userinfo_endpoint, { headers: { authorization: `Bearer ${accessToken}` } })
            : claims
        if (described.sub !== claims.sub) throw unfit(name, 'it described another user than it had signed for')
        return profileOf({ ...claims, ...described }, name)
      }),
  }
}

/** Replaces better-auth's redirection to a page that does not exist. */
export function callbackAnswer(response: Response, actor: Actor, name: string): Response {
  const location = response.headers.get('location') ?? ''
  if (!location.startsWith(INNER_ORIGIN)) return response
  if (actor.fault) throw actor.fault
  const { searchParams } = new URL(location)
  const code = searchParams.get('error') ?? 'unknown'
  const status = DENIED.has(code) ? 403 : 400
  const sentence = DENIED.get(code) ?? FAULTS.get(code) ?? `${name} did not sign you in (${safe(code)}).`
  throw new Refusal(status, safe(code).toUpperCase(), sentence)
}

const AGAIN = 'This sign-in was not begun in this browser, was ended before, or lasted too long: begin it again.'
const FAULTS = new Map(
  Object.entries({
    state_mismatch: AGAIN,
    state_not_found: AGAIN,
    state_invalid: AGAIN,
    invalid_callback_request: AGAIN,
    nonce_binding_missing: AGAIN,
    issuer_mismatch: 'The answer is of another issuer than the one that was asked: begin the sign-in again.',
    unable_to_get_user_info:
      'The token of the provider is not one for this sign-in: its signature, issuer, audience, time or nonce is wrong.',
  }),
)

const OTHER_ADDRESS = 'The provider has another address for you than your account here: they must be the same.'
const DENIED = new Map(
  Object.entries({
    account_not_linked:
      'There is an account with this address already, not proven to be yours: sign in with its password and link it by POST /api/auth/link-social.',
    email_does_not_match: OTHER_ADDRESS,
    "email_doesn't_match": OTHER_ADDRESS,
    account_already_linked_to_different_user: 'This identity is linked to another account here already.',
    access_denied: 'The provider says that access was denied.',
  }),
)

const safe = (code: string) => code.replace(/[^A-Za-z_]/g, '').slice(0, 60) || 'unknown'

/** Reports the failure inside better-auth, which would only say that something failed. */
export async function explained<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const actor = currentActor()
    if (actor && error instanceof Refusal) actor.fault = error
    throw error
  }
}

function tokenRequest(form: URLSearchParams, { clientId, clientSecret }: OidcSettings, found: Discovered): RequestInit {
  const methods = found.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  if (methods.includes('client_secret_basic') || !methods.includes('client_secret_post')) {
    // Percent-encoded first (RFC 6749, 2.3.1).
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(':')
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  }
  return { method: 'POST', headers, body: form.toString() }
}

/** A JSON object from the provider. @throws Refusal 400 when it refuses, 503 for any other answer or none */
async function ask({ name }: OidcSettings, url: string, init: RequestInit): Promise<Record<string, unknown>> {
  let response: Response
  let text: string
  try {
    // The provider may be closing an idle connection, and a code is used only once.
    const headers = { accept: 'application/json', connection: 'close', ...init.headers }
    response = await fetch(url, { redirect: 'error', ...init, headers, signal: AbortSignal.timeout(PATIENCE_MS) })
    text = await textOf(response)
  } catch {
    throw silent(name)
  }
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {}
  const error = safe(String((answer as { error?: unknown } | undefined)?.error ?? ''))
  if (response.status === 400 && error === 'invalid_grant') {
    throw new Refusal(400, 'INVALID_CODE', `${name} accepts this code no longer: begin the sign-in again.`)
  }
  if (!response.ok) throw unfit(name, `it answered ${response.status} (${error})`)
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw unfit(name, 'its answer is no JSON object')
  return answer as Record<string, unknown>
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    length += part.length
    if (length > LONGEST_ANSWER) throw new Error('too long')
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Checks of OpenID Connect Core 1.0, 3.1.3.7, that better-auth leaves out. */
function checkClaims(claims: Record<string, unknown>, { clientId, name }: OidcSettings): void {
  if (typeof claims.sub !== 'string' || claims.sub === '') throw unfit(name, 'its token names no subject')
  if (typeof claims.exp !== 'number') throw unfit(name, 'its token has no end')
  if (claims.azp !== undefined && claims.azp !== clientId) throw unfit(name, 'its token is for another client')
}

/** Only a verified address counts: it decides on account and invitation. */
function profileOf(claims: Record<string, unknown>, provider: string) {
  const { sub, email, email_verified: verified } = claims
  if (typeof email !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new Refusal(403, 'EMAIL_NOT_FOUND', `${provider} names no address of yours: it needs the scope email.`)
  }
  if (verified !== true && verified !== 'true') {
    const words = `${provider} has not verified that ${email} is yours: have it verified there first.`
    throw new Refusal(403, 'EMAIL_NOT_VERIFIED', words)
  }
  const id = String(sub)
  return { sub: id, id, email: email.toLowerCase(), emailVerified: true, name: profileName(claims) }
}

/**
 * What a user is called here: the first of the provider's names that shows, as a line, else the address before its @.
 */
export function profileName({ name, preferred_username: short, email }: Record<string, unknown>): string {
  const given = [name, short, String(email).split('@')[0]].filter(value => typeof value === 'string')
  return given.map(value => cleanLine(value, 100)).find(line => line !== undefined) ?? 'User'
}

const unfit = (name: string, why: string) =>
  new Refusal(503, 'PROVIDER_UNFIT', `${name} cannot be used to sign in now: ${why}.`, SOON)

/** The refusal when the provider does not answer. */
export const silent = (name: string) =>
  new Refusal(503, 'PROVIDER_UNAVAILABLE', `${name} does not answer this server: try again later.`, SOON)

const SOON = { 'retry-after': '5' }

const trimmed = (url: string) => url.replace(/\/$/, '')
const discoveryUrl = ({ issuer }: OidcSettings) => `${trimmed(issuer)}/.well-known/openid-configuration`
